"""The same bytes on every run, also when the machine is busy. `make soak` does
the same two hundred times."""

import multiprocessing
import os

import pytest

from lockstep import ROOT, all_runs, locks, races, run, short


def burn(until):
    while not until.is_set():
        pass


@pytest.fixture(scope="module")
def busy():
    """As many busy processes as there are cores."""
    until = multiprocessing.Event()
    burners = [multiprocessing.Process(target=burn, args=(until,), daemon=True)
               for _ in range(os.cpu_count())]
    for burner in burners:
        burner.start()
    yield
    until.set()
    for burner in burners:
        burner.join()


def some_locks(race):
    """A twelfth of them for each race, and each lock in a twelfth of the races."""
    return [short(lock) for i, lock in enumerate(locks()) if (i + races().index(race)) % 12 == 0]


@pytest.mark.parametrize("race", races())
def test_with_all_cores_busy(race, busy):
    """All that happened, with the bytes of every message; and not idle like the run that other
    tests read."""
    asked = some_locks(race)
    options = [word for lock in asked for word in ("--stage", lock)]
    again = run(ROOT / "scenarios" / race, *options, "--format", "json", "--wire", timeout=None).out
    assert again == "".join(all_runs(race)[1][lock] for lock in asked)
    assert asked and len(again) > 200 * len(asked)
