"""A correct lock is accused of nothing, however it is built: the locks of tests/guests/correct.py."""

import sys

import pytest

from lockstep import MATRIX, ROOT, expected, run

sys.path.append(str(ROOT / "tests/guests"))
from correct import LOCKS  # noqa: E402

DOCUMENTED = {path.stem for path in (ROOT / "scenarios").glob("[0-9]*/*.c")}
PARTS = 10


def held_by(stage):
    """The documented races that this stage holds."""
    return sorted(race for (race, lock), verdict in expected().items()
                  if lock == stage and verdict == "holds" and race in DOCUMENTED)


@pytest.mark.parametrize("name", LOCKS)
def test_a_correct_lock_is_accused_of_nothing(name):
    """In a tenth of the races that the stage with the same promises holds; with each lock in another one."""
    lock = LOCKS[name]
    chosen = sorted({*held_by(lock.like)[list(LOCKS).index(name) % PARTS::PARTS], *lock.more})
    finished = run(MATRIX, "--virtual", "--format", "tsv", "--at", lock.place, "--client",
                   f"{sys.executable} tests/guests/correct.py {name}", *chosen, timeout=None)
    cells = dict(line.split("\t") for line in finished.out.splitlines()[1:])
    assert set(cells) == set(chosen), finished
    assert {race: cell for race, cell in cells.items() if cell not in ("holds", "cannot")} == {}, finished.err
    assert "holds" in cells.values()


def test_there_are_twenty():
    assert len(LOCKS) >= 20
    assert {race for lock in LOCKS.values() for race in lock.more} <= DOCUMENTED
