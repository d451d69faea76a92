"""The locks on other servers than Redis: tests/roads.txt, their traces, and what a run leaves.

Where MariaDB is not installed, all but the table itself is left out; conftest.py says so."""

import os
import re
import signal
import subprocess

import pytest

from lockstep import ROOT, TESTS, has_mariadb, open_races, races, read_matrix, replay, roads, run
from world import left_behind

WORDS = {"holds": "HOLDS", "BROKEN": "BROKEN", "cannot": "CANNOT HAPPEN",
         "unclear": "INCONCLUSIVE"}
TABLE = read_matrix("roads.txt")
LOCKS = roads("mariadb")
needs_mariadb = pytest.mark.skipif(not has_mariadb(), reason="MariaDB is not here: make roads")

# A cell with a server of its own takes half a second, so the suite runs some. This runs them all:
#     ./scenarios/matrix --engine mariadb
SOME = [cell for number, cell in enumerate(TABLE) if number % 31 == 0]
GOLDEN = [(race, lock) for lock in LOCKS for race in ["two_processes", open_races(lock)[0]]]
# The road's own loss that the page speaks of.
GOLDEN += [("connection_dies", "road_mysql_for_update")]
# A statement waits in the server until the holder dies; until the clock has moved far enough; and
# until a waiter who was chosen before it dies.
GOLDEN += [(race, "road_mysql_for_update")
           for race in ["nobody_signals", "patience_ends", "chosen_waiter_dies"]]


def test_the_table_is_complete():
    assert sorted((race, lock) for race, lock, _ in TABLE) == sorted(
        (race, lock) for race in races() for lock in LOCKS)


@pytest.mark.parametrize("lock", LOCKS)
def test_what_is_still_open_is_lost(lock):
    verdicts = {(race, name): verdict for race, name, verdict in TABLE}
    assert open_races(lock)
    for race in open_races(lock):
        assert verdicts[race, lock] == "BROKEN"


@pytest.mark.parametrize("lock", [lock for lock in LOCKS if lock.startswith("detour_")])
def test_a_detour_loses_what_its_road_holds(lock):
    verdicts = {(race, name): verdict for race, name, verdict in TABLE}
    head = (ROOT / "stages" / lock / "lock.c").read_text()
    road = re.match(r"// Detour from (road_\w+):", head)[1]
    for race in open_races(lock):
        assert verdicts[race, road] == "holds"


@needs_mariadb
@pytest.mark.parametrize("race, lock, verdict", SOME)
def test_cell(race, lock, verdict):
    finished = replay(race, lock)
    assert (finished.verdict, finished.err) == (WORDS[verdict], ""), finished


@needs_mariadb
@pytest.mark.parametrize("race, lock", GOLDEN)
def test_trace(race, lock):
    """Written anew by `python3 tests/test_roads.py`."""
    assert replay(race, lock).comparable == (TESTS / f"golden_roads/{race}.{lock}.txt").read_text()


@needs_mariadb
def test_nothing_is_left_behind(temporary):
    assert replay("restart_empty", "road_mysql_row").code == 1
    assert left_behind(temporary) == [] and not list(temporary.iterdir())


@needs_mariadb
def test_nothing_is_left_behind_by_a_run_that_was_killed(temporary):
    # In real time a story waits for the next whole second.
    runner = subprocess.Popen([ROOT / "scenarios/two_processes", "--stage", LOCKS[0], "--real"],
                              env={**os.environ, "NO_COLOR": "1"}, stdout=subprocess.DEVNULL,
                              start_new_session=True)
    while not any(temporary.glob("*/maria1/ibdata1")) and runner.poll() is None:
        pass
    runner.send_signal(signal.SIGKILL)
    assert runner.wait() == -signal.SIGKILL
    assert left_behind(temporary) == [] and not list(temporary.iterdir())


@needs_mariadb
def test_without_the_server_it_says_which_package_has_one():
    finished = replay("two_processes", LOCKS[0], env={"MARIADB_SERVER": "no-such-server"})
    assert finished.code == 2 and finished.out == ""
    assert "there is no no-such-server here" in finished.err
    assert "mariadb-server" in finished.err and "make roads" in finished.err
    table = run("./scenarios/matrix", "--engine", "mariadb", "--format", "tsv", "two_processes",
                env={"MARIADB_SERVER": "no-such-server"})
    assert table.code == 2 and "not-run" in table.out and "mariadb-server" in table.err


@needs_mariadb
@pytest.mark.parametrize("race", ["two_processes", "missing_row", "nobody_signals"])
def test_several_locks_are_told_one_after_the_other(race):
    """On one server, which loses all tables in between and counts connections anew. What the
    lock before has left in it (a deadlock, a waiter) is not seen."""
    words = [word for lock in LOCKS for word in ("--stage", lock)]
    several = run(ROOT / "scenarios" / race, *words)
    assert several.err == "" and several.code in (0, 1)
    assert several.out == "\n".join(replay(race, lock).out for lock in LOCKS)


@needs_mariadb
def test_a_search_refuses_them():
    finished = run("./scenarios/explore", "--stage", LOCKS[0])
    assert finished.code == 2 and "a search cannot follow" in finished.err


@needs_mariadb
def test_a_schedule_plays_again():
    told = replay("forced_unlock", "road_mysql_row")
    again = told.out.splitlines()[-1].removeprefix("Again: ")
    replayed = run("bash", "-c", again)
    assert (replayed.verdict, replayed.code) == (told.verdict, told.code) == ("BROKEN", 1), replayed


if __name__ == "__main__":
    for race, lock in GOLDEN:
        (TESTS / f"golden_roads/{race}.{lock}.txt").write_text(replay(race, lock).comparable)
