"""Whole traces, byte for byte. To write them anew after a change that is meant:

    python3 tests/test_golden.py
"""

import pytest

from lockstep import TESTS, locks, open_races, replay, short

RACES = ["expired_delete", "crash_mid_acquire", "stop_the_world", "nested_call",
         "loser_overwrites_deadline", "lost_grant_answer"]
CELLS = [(race, short(lock)) for race in RACES for lock in locks() if lock.startswith("stage")]
# And each detour in the first race that its head says it loses.
CELLS += [(open_races(lock)[0], lock) for lock in locks() if lock.startswith("detour_")]


def golden(race, lock):
    return TESTS / "golden" / f"{race}.{lock}.txt"


@pytest.mark.parametrize("race, lock", CELLS)
def test_trace(race, lock):
    assert replay(race, lock).comparable == golden(race, lock).read_text()


def test_no_golden_is_left_over():
    assert sorted((TESTS / "golden").iterdir()) == sorted(golden(*cell) for cell in CELLS)


if __name__ == "__main__":
    (TESTS / "golden").mkdir(exist_ok=True)
    for cell in CELLS:
        golden(*cell).write_text(replay(*cell).comparable)
