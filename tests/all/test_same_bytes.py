"""The same bytes on every run, on an idle machine and on a busy one: `make soak` for a minute."""

import pytest

from lockstep import TESTS, locks, races, run

LADDER = [lock for lock in locks() if lock.startswith("stage")]


@pytest.mark.parametrize("words, cells", [
    (["--ladder"], len(LADDER) * len(races())),
    (races()[::24], len(locks()) * len(races()[::24])),
], ids=["ladder", "detours"])
def test_soak(words, cells):
    finished = run(TESTS / "soak", "1", *words, timeout=None)
    assert (finished.code, finished.err) == (0, ""), finished
    assert finished.out == "".join(f"{how}: 1 runs, the same digests of {cells} cells\n" for how in ("idle", "busy"))
