"""The locks on other servers than Redis: every cell of common/catalogue/roads.txt, their traces, and what a
run leaves. What has no such server here is left out; conftest.py says so."""

import os
import random
import re
import signal
import socket
import subprocess

import pytest

import golden
from lockstep import ELSEWHERE, MATRIX, ROOT, SCENARIOS, counted_servers, engine, expected, replay, roads, run, stages, verdicts
from world import executable, needs, needs_mariadb, needs_zookeeper, where_it_is, wrapper

LOCKS = roads("mariadb")


@pytest.mark.parametrize("name", [pytest.param(name, marks=needs(name)) for name in ELSEWHERE])
def test_every_cell_is_as_the_table_says(name):
    """In one run, whose servers serve many cells: to start one for each would take half an hour."""
    table = {(race, lock): verdict for (race, lock), verdict in expected("roads.txt").items() if engine(lock) == name}
    found = verdicts("--engine", name)
    assert len(found) == len(table)
    assert {cell: (found[cell], table[cell]) for cell in table if found[cell] != table[cell]} == {}


@pytest.mark.parametrize("race, lock", where_it_is(cell for cell in golden.ROADS if cell not in golden.FIRST))
def test_trace(race, lock):
    replayed = replay(race, lock)
    assert replayed.err == "" and replayed.comparable == golden.path(race, lock).read_text()


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
    alone, behind = (verdicts(*stages(*locks), "--digests", "cut_off_holder") for locks in ([lock], [other, lock]))
    assert alone.items() <= behind.items()


@pytest.mark.parametrize("race, lock", where_it_is([("restart_empty", "road_mysql_row"),
                                                    ("failover", "road_mysql_row"),
                                                    ("new_holder_silent", "road_zookeeper")]))
def test_nothing_is_left_behind(race, lock, temporary):
    assert replay(race, lock).code == 1


@pytest.mark.parametrize("file, race, lock", where_it_is([
    ("maria1/ibdata1", "two_processes", LOCKS[0]),
    ("maria2/ibdata1", "failover", "road_mysql_row"),
    ("maria2/heard.000001", "failover", "road_mysql_row"),
    ("zoo1/data/version-2", "two_processes", "road_zookeeper")]))
def test_nothing_is_left_behind_by_a_run_that_was_killed(file, race, lock, temporary):
    # In real time a story waits for the next whole second.
    runner = subprocess.Popen([ROOT / "scenarios" / race, "--stage", lock, "--real"],
                              env={**os.environ, "NO_COLOR": "1"}, stdout=subprocess.DEVNULL,
                              start_new_session=True)
    while not any(temporary.glob(f"*/{file}")) and runner.poll() is None:
        pass
    runner.send_signal(signal.SIGKILL)
    assert runner.wait() == -signal.SIGKILL


# Nothing is done to a server that it does not forget.
HARMLESS = ["two_processes", "stop_the_world", "crash_holding"]
SHARE = [pytest.param(*shared, marks=needs(shared[0])) for shared in [
    ("mariadb", ["road_mysql_row", "road_mysql_for_update"]),
    ("zookeeper", ["road_zookeeper", "detour_zookeeper_herd"])]]


@pytest.mark.parametrize("name, locks", SHARE)
def test_a_server_outlives_a_race(name, locks, tmp_path):
    """One serves all cells of a worker, and nobody can see that it has served others before."""
    path, started = counted_servers(tmp_path)
    shared = run(MATRIX, *stages(*locks), "--format", "tsv", "--digests", *HARMLESS, env={"PATH": path})
    assert shared.err == "" and 1 <= len(started.read_text()) <= os.cpu_count()
    alone = [run(MATRIX, *stages(lock), "--format", "tsv", "--digests", race).out.splitlines()[1].split("\t")[1]
             for race in HARMLESS for lock in locks]
    assert [cell for line in shared.out.splitlines()[1:] for cell in line.split("\t")[1:]] == alone


@needs_mariadb
def test_a_replica_hears_nothing_of_the_races_before_its_own():
    """Between two races the database is dropped, and the master has that in its log."""
    core = min(os.sched_getaffinity(0))
    row, behind = ["--stage", "road_mysql_row", "--format", "tsv", "--digests"], ["two_processes", "failover"]
    alone = run(MATRIX, *row, "failover").out.splitlines()[-1]
    assert run("taskset", "-c", core, MATRIX, *row, *behind).out.splitlines()[-1] == alone


@pytest.mark.parametrize("name, locks", SHARE)
def test_nothing_is_left_behind_by_a_table_that_was_killed(name, locks, temporary):
    """Also in the moments between two cells."""
    chance = random.Random(1)
    for _ in range(3):
        runner = subprocess.Popen([MATRIX, *stages(*locks), *HARMLESS], stdout=subprocess.DEVNULL)
        while not any(temporary.glob("*/A/gate")) and runner.poll() is None:
            pass
        try:
            runner.wait(chance.uniform(0, 0.1))
        except subprocess.TimeoutExpired:
            runner.send_signal(signal.SIGKILL)
            assert runner.wait() == -signal.SIGKILL


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
    executable(tmp_path, f"cat >&2 <<'END'\n{said}\nEND\nexec sleep 60", program)
    finished = replay("two_processes", lock, env={"PATH": f"{tmp_path}:{os.environ['PATH']}",
                                                  "MARIADB_SERVER": ""})
    assert re.fullmatch(r"two_processes: no room for the files of \w+ in \S+: No space left on device; "
                        r"set TMPDIR to a folder with room\n", finished.err), finished
    assert finished.code == 2


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
    several = run(SCENARIOS / race, *stages(*locks))
    assert several.err == "" and several.code in (0, 1)
    alone = [replay(race, lock) for lock in locks]
    assert [one.err for one in alone] == [""] * len(locks)
    assert several.out == "\n".join(one.out for one in alone)


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
