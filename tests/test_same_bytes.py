"""The same bytes on every run, also when the machine is busy. `make soak` does
the same two hundred times."""

import multiprocessing
import os

import pytest

from lockstep import ROOT, races, run


def all_locks(race, *options):
    finished = run(ROOT / "scenarios" / race, "--all", *options)
    assert finished.code < 2, finished
    return finished.out


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
def test_idle_and_idle(race):
    assert all_locks(race) == all_locks(race)


@pytest.mark.parametrize("race", races())
def test_json_and_wire(race):
    options = ["--stage", "3", "--stage", "7", "--format", "json", "--wire"]
    first = run(ROOT / "scenarios" / race, *options).out
    assert first == run(ROOT / "scenarios" / race, *options).out
    assert len(first) > 1000


@pytest.mark.parametrize("race", races())
def test_with_all_cores_busy(race, busy):
    assert all_locks(race) == all_locks(race)
