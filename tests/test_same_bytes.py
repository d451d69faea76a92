"""The same bytes on every run, also when the machine is busy. `make soak` does
the same two hundred times."""

import multiprocessing
import os

import pytest

from lockstep import ROOT, all_traces, locks, races, run, short


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


@pytest.mark.parametrize("race", races())
def test_json_and_wire(race):
    head = (ROOT / "scenarios" / f"{race}.c").read_text()
    chosen = ["road_redlock"] if head.startswith("// Race 11.") else ["3", "7"]
    options = [word for lock in chosen for word in ("--stage", lock)] + ["--format", "json", "--wire"]
    first = run(ROOT / "scenarios" / race, *options).out
    assert first == run(ROOT / "scenarios" / race, *options).out
    assert len(first) > 1000


def some_locks(race):
    """A third of them for each race, and each lock in a third of the races."""
    return [short(lock) for i, lock in enumerate(locks()) if (i + races().index(race)) % 3 == 0]


@pytest.mark.parametrize("race", races())
def test_with_all_cores_busy(race, busy):
    """Not idle like the run that other tests read."""
    asked = some_locks(race)
    options = [word for lock in asked for word in ("--stage", lock)]
    again = run(ROOT / "scenarios" / race, *options, timeout=None).out
    assert again == "\n".join(all_traces(race)[1][lock] for lock in asked)
