"""The locks on other servers than Redis: common/catalogue/roads.txt, their traces, and what a run leaves.

Where such a server is not installed, all but the table itself is left out; conftest.py says
so."""

import os
import random
import re
import shutil
import signal
import socket
import subprocess

import pytest

from lockstep import (ELSEWHERE, ROOT, TESTS, counted_servers, engine, has_engine, lock_code, open_races, races, read_matrix, replay, roads, run, short)
from world import left_behind, wrapper

WORDS = {"holds": "HOLDS", "BROKEN": "BROKEN", "cannot": "CANNOT HAPPEN",
         "unclear": "INCONCLUSIVE"}
TABLE = read_matrix("roads.txt")
LOCKS = roads("mariadb")
EVERYWHERE = [lock for name in ELSEWHERE for lock in roads(name)]


def needs(name):
    return pytest.mark.skipif(not has_engine(name), reason=f"{name} is not here: make roads")


needs_mariadb, needs_zookeeper = needs("mariadb"), needs("zookeeper")


def where_it_is(cells):
    """These cells (race, lock, …), each to be left out where its lock's server is not here."""
    return [pytest.param(*cell, marks=needs(engine(cell[1]))) for cell in cells]


GOLDEN = [(race, lock) for lock in EVERYWHERE for race in ["two_processes", open_races(lock)[0]]]
# The road's own loss that the page speaks of.
GOLDEN += [("connection_dies", "road_mysql_for_update")]
# A statement waits in the server until the holder dies; until the clock has moved far enough; and
# until a waiter who was chosen before it dies.
GOLDEN += [(race, "road_mysql_for_update")
           for race in ["nobody_signals", "patience_ends", "chosen_waiter_dies"]]
# The row has not reached the replica; two masters; a lock that ended with its connection.
GOLDEN += [("failover", "road_mysql_row"), ("split_brain", "road_mysql_row_lease"),
           ("failover", "road_mysql_for_update")]
# A server that is read-only lets nobody lock rows, and undoes what it does not commit.
GOLDEN += [("refused_attempt", "road_mysql_for_update"), ("refused_release", "detour_mysql_no_row")]
# A watch, and its message behind which an answer comes; a dead client in the middle of the queue;
# an answer is lost, and the node found again; a session ends, and the server with it.
GOLDEN += [(race, "road_zookeeper") for race in ["patience_ends", "chosen_waiter_dies",
                                                 "lost_grant_answer", "crash_holding",
                                                 "nested_after_loss_again", "restart_empty",
                                                 "slow_grant_answer", "loser_blocks_release"]]
# Nobody may write for a moment; the renewals go on meanwhile.
GOLDEN += [(race, "road_zookeeper") for race in ["refused_release", "refused_renewals"]]
# The server stands still; when it goes on, sessions end before it reads anything.
GOLDEN += [("server_stall", lock) for lock in ["road_zookeeper", "detour_zookeeper_deaf"]]
# What an operator does to each kind of lock, and how a write without a number, or with one, is explained.
GOLDEN += [("forced_unlock", lock) for lock in ["road_mysql_for_update", "road_zookeeper", "detour_zookeeper_no_fence"]]
# Two insert a row anew that was deleted, and may not have been purged.
GOLDEN += [("two_losers_see_it_free", "detour_mysql_ignores_timeout")]
# An attempt that hears nothing of its second command has left its node there.
GOLDEN += [("second_answer_lost", "road_zookeeper")]
# A reason names a port, which is another one in each run.
GOLDEN += [("opened_without_a_server", "road_zookeeper")]
# Three servers: the leader dies, and another is elected; one without a majority serves nobody.
GOLDEN += [(race, "road_zookeeper") for race in ["failover", "split_brain"]]
# Who gives up cannot take its node out of the queue, says "unknown", and releases.
GOLDEN += [("refused_last_attempt", "road_zookeeper")]
# Who waits on the server for longer than it waits for any other answer.
GOLDEN += [("long_wait_for_an_answer", "road_mysql_for_update")]
# Who asks in vain what has become of its node, and asks again.
GOLDEN += [(race, "road_zookeeper") for race in ["second_try_unheard", "nested_call_unheard"]]


def test_the_table_is_complete():
    assert sorted((race, lock) for race, lock, _ in TABLE) == sorted(
        (race, lock) for race in races() for lock in EVERYWHERE)


@pytest.mark.parametrize("lock", EVERYWHERE)
def test_what_is_still_open_is_lost(lock):
    verdicts = {(race, name): verdict for race, name, verdict in TABLE}
    assert open_races(lock)
    for race in open_races(lock):
        assert verdicts[race, lock] == "BROKEN"


@pytest.mark.parametrize("lock", [lock for lock in EVERYWHERE if lock.startswith("detour_")])
def test_a_detour_loses_what_its_road_holds(lock):
    verdicts = {(race, name): verdict for race, name, verdict in TABLE}
    head = lock_code(lock)
    road = re.match(r"// Detour from (road_\w+):", head)[1]
    for race in open_races(lock):
        assert verdicts[race, road] == "holds"


@pytest.mark.parametrize("name", [pytest.param(name, marks=needs(name)) for name in ELSEWHERE])
def test_every_cell_is_as_the_table_says(name):
    """In one run, whose servers serve many cells: to start one for each would take half an hour."""
    finished = run(ROOT / "scenarios/matrix", "--engine", name, "--format", "tsv", timeout=None)
    head, *rows = [line.split("\t") for line in finished.out.splitlines()]
    found = {(row[0], short(lock)): verdict for row in rows
             for lock, verdict in zip(head[1:], row[1:])}
    table = {(race, short(lock)): WORDS[verdict].lower().replace(" happen", "")
             for race, lock, verdict in TABLE if engine(lock) == name}
    assert finished.err == "" and len(found) == len(table)
    assert {cell: (found[cell], table[cell]) for cell in table if found[cell] != table[cell]} == {}


@pytest.mark.parametrize("race, lock", where_it_is(GOLDEN))
def test_trace(race, lock):
    """Written anew by `python3 tests/test_roads.py`."""
    replayed = replay(race, lock)
    assert replayed.err == ""
    assert replayed.comparable == (TESTS / f"golden_roads/{race}.{lock}.txt").read_text()


@needs_zookeeper
def test_what_differs_from_run_to_run_is_left_out_of_the_bytes():
    """The numbers of requests, which begin with the time; those of changes, which the server counts
    for all stories that it serves; and children, which come in no order."""
    trace = run(ROOT / "scenarios/two_processes", "--stage", "road_zookeeper", "--wire").out
    frames = re.findall(r"^ +([<>]) (.*)$", trace, re.M)
    assert len(frames) > 8
    for way, frame in frames:
        left_out = 12 if way == "<" else 4
        assert re.match(r"(\\x[0-9a-f]{2}){3}(\\x[0-9a-f]{2}|.)"
                        rf"(\\x\?\?){{{left_out}}}\\x00", frame), frame
    assert not [frame for way, frame in frames if way == "<" and "-0000000001" in frame and "A1" in frame]


@pytest.mark.parametrize("other, lock", [
    pytest.param("road_mysql_row", "road_mysql_row_lease", marks=needs_mariadb),
    pytest.param("detour_zookeeper_herd", "road_zookeeper", marks=needs_zookeeper)])
def test_a_server_that_has_served_others_shows_the_same(other, lock):
    """Alone, and behind another lock."""
    digests = [run(ROOT / "scenarios/matrix", *before, "--stage", lock, "--format", "tsv",
                   "--digests", "cut_off_holder").out.split("\t")[-1]
               for before in ([], ["--stage", other])]
    assert digests[0] == digests[1]


@pytest.mark.parametrize("race, lock", where_it_is([("restart_empty", "road_mysql_row"),
                                                    ("failover", "road_mysql_row"),
                                                    ("new_holder_silent", "road_zookeeper")]))
def test_nothing_is_left_behind(race, lock, temporary):
    assert replay(race, lock).code == 1
    assert left_behind(temporary) == [] and not list(temporary.iterdir())


@pytest.mark.parametrize("file, lock, race", where_it_is([
    ("maria1/ibdata1", LOCKS[0], "two_processes"),
    ("maria2/ibdata1", "road_mysql_row", "failover"),
    ("maria2/heard.000001", "road_mysql_row", "failover"),
    ("zoo1/data/version-2", "road_zookeeper", "two_processes")]))
def test_nothing_is_left_behind_by_a_run_that_was_killed(file, lock, race, temporary):
    # In real time a story waits for the next whole second.
    runner = subprocess.Popen([ROOT / "scenarios" / race, "--stage", lock, "--real"],
                              env={**os.environ, "NO_COLOR": "1"}, stdout=subprocess.DEVNULL,
                              start_new_session=True)
    while not any(temporary.glob(f"*/{file}")) and runner.poll() is None:
        pass
    runner.send_signal(signal.SIGKILL)
    assert runner.wait() == -signal.SIGKILL
    assert left_behind(temporary) == [] and not list(temporary.iterdir())


# ./scenarios/matrix starts races in chains (common/race/chain.h).
CHAIN = ["two_processes", "stop_the_world", "flushall", "crash_holding"]
CHAINED = [pytest.param(*chained, marks=needs(chained[0])) for chained in [
    ("mariadb", ["road_mysql_row", "road_mysql_for_update"]),
    ("zookeeper", ["road_zookeeper", "detour_zookeeper_herd"])]]


def of_chain(folder, locks):
    """Its command, its environment, and a file with a line for each server that it starts."""
    path, started = counted_servers(folder)
    command = [ROOT / "scenarios" / CHAIN[0], *(word for lock in locks
                                                for word in ("--stage", lock))]
    return command, {"LOCKSTEP_CHAIN": " ".join(["0", *CHAIN[1:]]), "NO_COLOR": "1", "PATH": path}, started


@pytest.mark.parametrize("name, locks", CHAINED)
def test_a_server_outlives_a_race(name, locks, tmp_path, temporary):
    """One serves all of a chain, and nobody can see that it has served others before."""
    command, environment, started = of_chain(tmp_path, locks)
    chained = run(*command, env=environment)
    assert chained.err == "" and started.read_text() == "\n"
    alone = [[replay(race, lock) for lock in locks] for race in CHAIN]
    assert [one.err for ones in alone for one in ones if one.err] == []
    assert chained.out == "".join("\n".join(one.out for one in ones) for ones in alone)
    assert left_behind(temporary) == [] and not list(temporary.iterdir())


# How many databases of its master's has the replica dropped?
DROPPED = """race_replica(race);
    race_do(race, (struct choice){.kind = CHOOSE_OPERATE, .server = 1, .text =
            "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS "
            "WHERE VARIABLE_NAME = 'COM_DROP_DB'"});
    enter(a)"""


@needs_mariadb
def test_a_replica_hears_nothing_of_the_races_before_its_own(scratch):
    """Between two races the database is dropped, and the master has that in its log."""
    scratch.race(DROPPED + ";", "road_mysql_row", includes=["director.h"])
    told = run(scratch.program, "--stage", "road_mysql_row", env={"LOCKSTEP_CHAIN": "0 made"})
    assert told.err == "" and told.code == 0
    assert "COM_DROP_DB' -> 0\n" in told.out, told


@pytest.mark.parametrize("name, locks", CHAINED)
def test_nothing_is_left_behind_by_a_chain_that_was_killed(name, locks, tmp_path, temporary):
    """Also in the moments in which a program becomes the next one."""
    command, environment, _ = of_chain(tmp_path, locks)
    chance = random.Random(1)
    for told in [1, 2, 3]:
        runner = subprocess.Popen(command, env={**os.environ, **environment},
                                  stdout=subprocess.PIPE, text=True)
        for line in runner.stdout:
            told -= line.startswith("Again: ") and locks[-1] in line
            if told == 0:
                break
        try:
            runner.wait(chance.uniform(0, 0.02))
        except subprocess.TimeoutExpired:
            runner.send_signal(signal.SIGKILL)
        runner.stdout.close()
        assert runner.wait() == -signal.SIGKILL
        assert left_behind(temporary) == [] and not list(temporary.iterdir())


@needs_mariadb
def test_without_the_server_it_says_which_package_has_one():
    finished = replay("two_processes", LOCKS[0], env={"MARIADB_SERVER": "no-such-server"})
    assert finished.code == 2 and finished.out == ""
    assert "there is no no-such-server here" in finished.err
    assert "mariadb-server-core" in finished.err and "make roads" in finished.err
    table = run("./scenarios/matrix", "--engine", "mariadb", "--format", "tsv", "two_processes",
                env={"MARIADB_SERVER": "no-such-server"})
    assert table.code == 2 and "not-run" in table.out and "mariadb-server-core" in table.err


ROADS = sorted(folder.name for folder in (ROOT / "stages").glob("road_*"))


@needs_mariadb
def test_all_roads_are_one_table():
    """A road whose server is not there is not run, and the others are."""
    table = run("./scenarios/matrix", "--roads", "--format", "tsv", "crash_holding",
                env={"MARIADB_SERVER": "no-such-server", "ZOOKEEPER_JAR": "/no/such.jar"})
    head, row = (line.split("\t") for line in table.out.splitlines())
    assert head == ["race", *ROADS]
    assert row == ["crash_holding", *("holds" if road == "road_redlock" else "not-run" for road in ROADS)]
    assert table.code == 2 and "mariadb-server-core" in table.err and "libzookeeper-java" in table.err


@needs_mariadb
@needs_zookeeper
def test_what_a_hold_costs_is_what_the_page_says():
    finished = run(ROOT / "scenarios/bench", "roads")
    assert (finished.code, finished.err) == (0, ""), finished
    measured = re.findall(r"^(\w+), acquire and release .*\n +requests +(\d+)\n +bytes .* (\d+)$",
                          finished.out, re.M)
    costs = {lock: (requests, size) for lock, requests, size in measured}
    shown = [costs[lock] for lock in ("stage8_wakeup", "road_mysql_row_lease", "road_mysql_for_update",
                                      "road_zookeeper", "road_redlock")]
    page = (ROOT / "docs/roads.md").read_text()
    for row, values in zip(("requests to get in and out, nobody waits", "bytes for that, there and back"),
                           zip(*shown)):
        assert f"| {row} | {' | '.join(values)} |\n" in page


def test_a_road_that_is_not_built_is_not_run_and_the_others_are(scratch):
    scratch.lock("road_redlock")
    for road in ROADS:
        shutil.copytree(ROOT / "stages" / road, scratch.top / "stages" / road, dirs_exist_ok=True)
    shutil.copy(ROOT / "scenarios/matrix", scratch.top / "scenarios")
    table = run(scratch.top / "scenarios/matrix", "--roads", "--format", "json", "two_processes")
    assert table.document["two_processes"] == {road: "holds" if road == "road_redlock" else "not-run"
                                                     for road in ROADS}
    assert table.code == 2
    assert ("road_mysql_row was not run: road_mysql_row is not built: it needs Debian's package libmariadb-dev "
            "(make roads)\n") in table.err
    assert "it needs Debian's package libzookeeper-mt-dev (make roads)\n" in table.err


@needs_zookeeper
def test_without_java_or_the_archive_it_says_which_package_has_it(tmp_path):
    finished = replay("two_processes", "road_zookeeper", env={"ZOOKEEPER_JAR": "/no/such.jar"})
    assert finished.code == 2 and finished.out == ""
    assert "there is no /no/such.jar here" in finished.err
    assert "libzookeeper-java" in finished.err and "make roads" in finished.err
    finished = replay("two_processes", "road_zookeeper", env={"PATH": str(tmp_path)})
    assert finished.code == 2 and "default-jre-headless" in finished.err


@needs_zookeeper
def test_a_server_that_does_not_start_says_why(tmp_path):
    (tmp_path / "empty.jar").write_bytes(b"")
    finished = replay("two_processes", "road_zookeeper",
                      env={"ZOOKEEPER_JAR": str(tmp_path / "empty.jar")})
    assert finished.code == 2 and "before it was ready" in finished.err
    assert "ZooKeeperServerMain" in finished.err


def without(kind, limit, lock, folder):
    """A run that has no more than that, in a folder of its own."""
    import resource
    finished = subprocess.run(
        [ROOT / "scenarios/two_processes", "--stage", lock], capture_output=True, text=True, cwd=folder,
        timeout=300, preexec_fn=lambda: resource.setrlimit(getattr(resource, kind), (limit, limit)))
    assert list(folder.iterdir()) == []
    return finished


@needs_zookeeper
@pytest.mark.parametrize("megabytes", [800, 1800, 2000])
def test_a_virtual_machine_without_memory_says_so_and_leaves_no_report(tmp_path, megabytes):
    finished = without("RLIMIT_AS", megabytes << 20, "road_zookeeper", tmp_path)
    if finished.returncode == 0 and megabytes > 1000:
        return  # enough for this one
    assert finished.returncode == 2 and finished.stderr.count("\n") == 1, finished
    assert "allocate" in finished.stderr or "memory" in finished.stderr, finished


@needs_mariadb
@pytest.mark.parametrize("kind, limit, reason", [
    ("RLIMIT_AS", 200 << 20, "Out of memory"),
    ("RLIMIT_FSIZE", 1 << 20, "signal"),
])
def test_a_database_without_memory_or_room_says_so(tmp_path, kind, limit, reason):
    finished = without(kind, limit, LOCKS[0], tmp_path)
    assert finished.returncode == 2 and finished.stderr.count("\n") == 1, finished
    assert "before it was ready" in finished.stderr and reason in finished.stderr, finished


# What they print on a full disk. (MariaDB's second line is a warning, and it waits for room.)
FULL = [
    ("road_mysql_row", "mariadbd",
     "2001-09-09  1:46:40 0 [ERROR] InnoDB: preallocating 2097152 bytes for file ./ibdata1 failed with error 28"),
    ("road_mysql_row", "mariadbd",
     "2001-09-09  1:46:40 0 [Warning] mariadbd: Disk is full writing './changes.index' "
     '(Errcode: 28 "No space left on device"). Waiting for someone to free space...'),
    ("road_zookeeper", "java", "java.io.IOException: No space left on device"),
]


@pytest.mark.parametrize("lock, program, said", [
    pytest.param(*case, marks=needs(engine(case[0]))) for case in FULL])
def test_a_server_without_room_says_so_at_once(tmp_path, temporary, lock, program, said):
    (tmp_path / program).write_text("#!/bin/sh\ncat >&2 <<'END'\n" + said + "\nEND\nexec sleep 60\n")
    (tmp_path / program).chmod(0o755)
    finished = replay("two_processes", lock, env={"PATH": f"{tmp_path}:{os.environ['PATH']}",
                                                  "MARIADB_SERVER": ""})
    assert re.fullmatch(r"two_processes: no room for the files of \w+ in \S+: No space left on device; "
                        r"set TMPDIR to a folder with room\n", finished.err), finished
    assert finished.code == 2 and left_behind(temporary) == [] and not list(temporary.iterdir())


@pytest.mark.parametrize("race, name", [
    *[pytest.param(race, "mariadb", marks=needs_mariadb)
      for race in ["two_processes", "missing_row", "nobody_signals"]],
    *[pytest.param(race, "zookeeper", marks=needs_zookeeper)
      for race in ["stop_the_world", "predecessor_gone", "lost_grant_answer",
                   "refused_release"]]])
def test_several_locks_are_told_one_after_the_other(race, name):
    """On one server, which loses all tables or nodes in between and counts connections anew. What
    the lock before has left in it (a deadlock, a waiter, a session) is not seen."""
    locks = roads(name)
    words = [word for lock in locks for word in ("--stage", lock)]
    several = run(ROOT / "scenarios" / race, *words)
    assert several.err == "" and several.code in (0, 1)
    alone = [replay(race, lock) for lock in locks]
    assert [one.err for one in alone] == [""] * len(locks)
    assert several.out == "\n".join(one.out for one in alone)


@pytest.mark.parametrize("race, lock", where_it_is([("", LOCKS[0]), ("", "road_zookeeper")]))
def test_a_search_refuses_them(race, lock):
    finished = run("./scenarios/explore", "--stage", lock)
    assert finished.code == 2 and "a search cannot follow" in finished.err


@pytest.mark.parametrize("race, lock", where_it_is([("forced_unlock", "road_mysql_row"),
                                                    ("new_holder_silent", "road_zookeeper")]))
def test_a_schedule_plays_again(race, lock):
    told = replay(race, lock)
    again = told.out.splitlines()[-1].removeprefix("Again: ")
    replayed = run("bash", "-c", again)
    assert (replayed.verdict, replayed.code) == (told.verdict, told.code) == ("BROKEN", 1), replayed


# --- MariaDB: a replica, and a server that is read-only ------------------------

PROMOTED = 'server2:does"STOP SLAVE; RESET SLAVE ALL; SET GLOBAL read_only = OFF"'


def told(schedule):
    finished = run("./scenarios/replay", f"v1 {schedule}")
    assert (finished.verdict, finished.err) == ("HOLDS", ""), finished
    return finished.out


@needs_mariadb
@pytest.mark.parametrize("story", [
    "A:enter A>< server:crash",
    "A:enter A>< server2:crash server2:start server:crash",  # it goes on where it was
    "server2:crash A:enter A>< server2:start server:crash",
    "server2:stop A:enter A>< server2:continue server:crash",
    # Much is on its way to it.
    "server2:stop (A:enter A>< A:leave A><)*100 A:enter A>< server:crash server2:continue",
])
def test_what_nobody_holds_back_reaches_the_replica(story):
    """So B is busy there, and the story "failover" is lost only because the relay holds the row."""
    out = told(f"road_mysql_row server2:replicates A:opens B:opens {story} "
               f"{PROMOTED} B:reaches2 B:enter B2><")
    assert "ERROR 1062 (duplicate), busy" in out


@needs_mariadb
def test_a_replica_finds_its_master_again_as_time_passes():
    schedule = "road_mysql_row server2:replicates A:opens B:opens server:crash t+5 server:start A:enter A2><"
    asked = 'server2:does"SELECT COUNT(*) FROM method_lock"'
    assert [told(f"{schedule} {passed} {asked}").split(asked[14:-1] + " -> ")[1][0]
            for passed in ("", "t+1")] == ["0", "1"]


@needs_mariadb
def test_a_replica_lets_nobody_write_before_it_is_promoted():
    out = told(f"road_mysql_row server2:replicates A:opens A:reaches2 A:enter A2>< {PROMOTED} "
               "A:enter A2><")
    assert re.findall(r"ERROR 1290 \(read only\), error|1 row, inside", out) == [
        "ERROR 1290 (read only), error", "1 row, inside"]


@needs_mariadb
def test_a_server_does_not_become_read_only_while_it_keeps_a_statement():
    """It would wait for that statement, and the world with it."""
    kept = "road_mysql_for_update A:opens B:opens C:opens A:enter A>< A>< B:wait+60 B>< B>< B>"
    finished = run("./scenarios/replay", f"v1 {kept} C:enter C>< C:refuse")
    assert "server 1 refuses nothing while it keeps a command" in finished.out, finished
    finished = run("./scenarios/replay", f'v1 {kept} server:does"SET GLOBAL read_only = ON"')
    assert finished.code == 2 and "the server refuses SET GLOBAL read_only = ON" in finished.err


@needs_mariadb
def test_a_connection_does_not_go_on_with_the_microseconds_of_an_earlier_one():
    """The world's own connection counts more than a millisecond while the clock stands still; a
    client that got its thread in the next race set its deadline a millisecond late."""
    assert "-> 0" in told('road_mysql_row server:does"SELECT @@thread_cache_size" A:enter A><')


@needs_mariadb
def test_a_server_whose_threads_are_late_shows_the_same(tmp_path):
    """A second of patience ends 1.000 s after it began, however late the server's threads are.
    (Once in 168,000 cells it ended later.)"""
    pauses = tmp_path / "pauses"
    pauses.touch()
    late = wrapper(tmp_path, server=os.environ.get("MARIADB_SERVER", "mariadbd"), named="MARIADB_SERVER",
                   before=f'export LATE={pauses} LD_PRELOAD="{ROOT}/build/tests/late.so $LD_PRELOAD"')
    races = ["refused_last_attempt", "patience_ends", "nobody_signals", "server_stall"]
    table = ["./scenarios/matrix", "--engine", "mariadb", "--format", "tsv", "--digests", *races]
    in_time, too_late = run(*table), run(*table, env=late)
    assert in_time.out.count("\n") == 1 + len(races) and in_time.out == too_late.out
    assert set(pauses.read_text()) == set("copu"), "a server was not late, or never in this way"


@needs_mariadb
@pytest.mark.parametrize("limit_s, first", [(100_000_000, "COMMIT <delivered>\n +2 rows"),
                                            (50, r"ERROR 1205 \(lock timeout\)")])
def test_a_row_is_waited_for_as_long_as_the_server_is_told_to(limit_s, first):
    """From 100,000,000 seconds on, InnoDB's thread sets itself no limit at all."""
    waits = "A:enter A>< A>< A>< B:enter B>< B>< B>"
    finished = run("./scenarios/replay", "v1 detour_mysql_read_first "
                   f'server:does"SET GLOBAL innodb_lock_wait_timeout = {limit_s}" '
                   f"A:opens B:opens {waits} t+100 A><")
    assert finished.err == ""
    assert re.search(rf"<waits>\n100\.000 +{first}", finished.out), finished


@needs_mariadb
def test_a_deadline_is_not_in_local_time():
    """An operator sets another time zone, and B's connection is newer."""
    told("road_mysql_row_lease A:opens A:enter A>< A>< server:does\"SET GLOBAL time_zone = '+01:00'\" "
         "B:opens B:enter B>< B>< A:held A:leave A><")


@needs_mariadb
def test_an_operator_stops_and_starts_replication():
    """Its threads get the numbers of connections, and are no stranger."""
    out = told("road_mysql_row server2:replicates A:opens server2:does\"STOP SLAVE\" A:enter A>< "
               "server2:does\"SELECT COUNT(*) FROM method_lock\" server2:does\"START SLAVE\" "
               "server2:does\"SELECT COUNT(*) FROM method_lock\"")
    assert re.findall(r"SELECT COUNT\(\*\) FROM method_lock -> (\d)", out) == ["0", "1"]


@needs_mariadb
def test_an_operator_does_not_wait_for_a_row():
    """A's transaction has written it and is not over."""
    delete = "DELETE FROM method_lock WHERE method_name = 'lock'"
    finished = run("./scenarios/replay", f'v1 detour_mysql_read_first A:enter A>< A>< A>< server:does"{delete}"')
    assert finished.code == 2 and f"the server refuses {delete}: Lock wait timeout" in finished.err, finished


# --- a ZooKeeper server that is stopped ----------------------------------------

@needs_zookeeper
def test_what_waits_for_a_stopped_server_is_gone_when_it_is_killed():
    """B's request never arrives: there is A's node, and the one that it is in."""
    out = told("road_zookeeper A:opens B:opens A:enter A>< A>< server:stop B:enter B> t+5 "
               'server:crash server:start server:does"deleteall /lock"')
    assert "deleteall /lock -> 2 nodes" in out and "unknown: the connection was lost" in out, out


@needs_zookeeper
def test_a_server_of_an_ensemble_is_not_stopped():
    finished = run("./scenarios/replay", "v1 road_zookeeper server2:replicates server:stop")
    assert "server 1 cannot be stopped" in finished.out + finished.err, finished


# --- three servers -----------------------------------------------------------

def modes(schedule):
    """What the servers say of themselves when an operator asks."""
    finished = run("./scenarios/replay", f"v1 road_zookeeper {schedule}")
    assert finished.code == 0 and finished.err == "", finished
    return re.findall(r"server (\d): srvr -> (?:Mode: )?(\w+)", finished.out)


@needs_zookeeper
def test_two_of_three_servers_elect_a_leader_and_one_elects_nobody():
    asks = 'server2:does"srvr" server3:does"srvr"'
    assert modes(f'server2:replicates server3:replicates server:does"srvr" {asks} '
                 f"server:crash {asks} t+2 {asks} server2:crash t+2 server3:does\"srvr\" "
                 f'server:start t+2 server:does"srvr" server3:does"srvr"') == [
        ("1", "leader"), ("2", "follower"), ("3", "follower"),
        ("2", "This"), ("3", "This"),  # … ZooKeeper instance is not currently serving requests
        ("2", "leader"), ("3", "follower"), ("3", "This"), ("1", "follower"), ("3", "leader")]


@needs_zookeeper
def test_who_speaks_to_a_server_of_an_ensemble_as_another_server_is_noticed(temporary):
    """The sockets at which the servers meet stand in their folders."""
    runner = subprocess.Popen([ROOT / "scenarios/failover", "--stage", "road_zookeeper"],
                              env={**os.environ, "NO_COLOR": "1"}, stdout=subprocess.PIPE,
                              text=True)
    while not (found := list(temporary.glob("*/zoo3/3888"))) and runner.poll() is None:
        pass
    with socket.socket(socket.AF_UNIX) as stranger:
        while stranger.connect_ex(str(found[0])) != 0 and runner.poll() is None:
            pass
    out, _ = runner.communicate(timeout=60)
    assert "A client has spoken to the server past its gate." in out, out


@needs_zookeeper
def test_an_ensemble_in_real_time_cannot_happen():
    finished = replay("failover", "road_zookeeper", "--real")
    assert finished.verdict == "CANNOT HAPPEN" and "in real time" in finished.out


if __name__ == "__main__":
    for race, lock in GOLDEN:
        (TESTS / f"golden_roads/{race}.{lock}.txt").write_text(replay(race, lock).comparable)
