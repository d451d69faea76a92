"""Real time and virtual time come to the same verdicts: the proof that the
preloaded clock changes nothing but the waiting. All stages, the races that need
no clock turned and no exact instant."""

import pytest

from lockstep import locks, read_matrix, replay, run, short

RACES = ["two_processes", "crash_holding", "work_outlives_lease", "stop_the_world",
         "expired_delete", "delayed_delete", "check_then_delete", "stranger_releases",
         "hung_worker", "cut_off_holder", "nested_call", "lost_grant_answer", "restart_empty",
         "forced_unlock", "inner_release", "failover"]
# Nested leases are as much shorter as the lease is.
DETOURS = [("reentry_shrinks_lease", "detour_reentrant_lease")]
LADDER = [lock for lock in locks() if lock.startswith("stage")]


@pytest.fixture(scope="module")
def table():
    finished = run("./scenarios/matrix", "--real", "--ladder", "--format", "tsv", *RACES,
                   timeout=600)
    assert finished.code == 0, finished
    _, *rows = (line.split("\t") for line in finished.out.splitlines())
    return {(row[0], short(lock)): verdict for row in rows
            for lock, verdict in zip(LADDER, row[1:], strict=True)}


@pytest.mark.parametrize("race", RACES)
def test_the_same_verdict(table, race):
    expected = {lock: verdict.lower() for name, lock, verdict in read_matrix()
                if name == race and lock.startswith("stage")}
    assert {lock: verdict for (name, lock), verdict in table.items() if name == race} == expected


@pytest.mark.parametrize("race, lock", DETOURS)
def test_a_detour_is_lost_too(race, lock):
    finished = replay(race, lock, "--real")
    assert finished.verdict == "BROKEN", finished
    assert finished.out.count("OK, inside\n") == 2
