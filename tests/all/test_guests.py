"""Unmodified libraries from packages, put through the races: what docs/five_guests.md
says of them. In real time; so only races without an exact instant."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lockstep import ROOT, TESTS, make, races, run, without_property
from test_libraries import RECORDED
from world import needs_mariadb, needs_zookeeper


def expected(**verdicts):
    return {race: verdict for verdict, races in verdicts.items() for race in races.split()}


# Left out: what hangs on a few hundredths of a second of real time.
REDIS_PY = expected(
    holds="two_processes crash_holding crash_mid_acquire repair_makes_a_phantom double_takeover "
          "half_of_two_locks ab_ba_deadlock downtime_eats_lease expired_delete delayed_delete "
          "stranger_releases release_twice release_never_arrives hung_worker loss_untold "
          "same_thread_id lost_grant_answer retry_counts_twice reply_desync resurrected_lock "
          "script_flush key_of_another_type late_grant work_outlives_lease server_stall "
          "forced_unlock restart_empty aof_tail_lost eviction flushall failover wait_is_not_enough",
    broken="stop_the_world check_then_act delayed_write cut_off_holder nested_call reordered_set "
           "split_brain",
    cannot="same_second_deadline lost_release_answer loser_blocks_release "
            "loser_overwrites_deadline "
            "expiry_boundary check_then_delete late_retry_kills_next_hold renewal_revives_a_stranger "
            "renewal_check_then_expire renewal_steals silent_retake renewal_after_release watchdog_dies "
            "inner_release reentry_check_then_set reentry_shrinks_lease thread_hop shared_handle "
            "client_clock_fast server_clock_forward server_clock_back client_wall_clock_steps")

KAZOO = expected(
    holds="two_processes crash_holding work_outlives_lease lost_grant_answer cut_off_holder stranger_releases "
          "release_twice half_of_two_locks",
    broken="stop_the_world check_then_act forced_unlock nested_call same_thread_id flushall stale_write "
           "release_hides_a_loss")

CURATOR = expected(
    holds="crash_holding work_outlives_lease nested_call inner_release cut_off_holder",
    broken="stop_the_world loss_untold thread_hop flushall")

# In the world's time: it does not wait in these.
TOOZ = expected(
    holds="two_processes crash_holding work_outlives_lease stop_the_world stranger_releases release_twice "
          "lost_grant_answer stale_write",
    broken="nested_call cut_off_holder connection_dies failover split_brain restart_empty aof_tail_lost forced_unlock "
           "loss_untold",
    cannot="refused_attempt")


def differences(races, *options):
    """Cells that are neither what they should be nor excused: a cell for which the machine was
    too busy is run again, and if it stays too busy it says so. Most of them can be run."""
    said, left = {}, list(races)
    for _ in range(5):
        finished = run("./scenarios/matrix", "--format", "tsv", *options, *left, timeout=None)
        assert finished.code == 0, finished
        _, *rows = (line.split("\t") for line in finished.out.splitlines())
        said.update((race, without_property(cell)) for race, cell in rows)
        left = [race for race in races if said[race] == "inconclusive" != races[race]]
        if not left:
            break
    assert len(left) < len(races) / 2
    return {race: said[race] for race in races if race not in left and said[race] != races[race]}


def python_with(module):
    for python in ("python3", "/usr/bin/python3"):
        if subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0:
            return python
    pytest.skip(f"there is no Python module {module} here: make guests")


def python_with_redis():
    return python_with("redis.lock")


def test_redis_py():
    assert not differences(REDIS_PY, "--client", f"{python_with_redis()} tests/guests/redis_py.py")


def test_redis_py_only_reads_the_clock():
    """So it can live in the world's time, and prints the same bytes twice."""
    command = ["./scenarios/expired_delete", "--virtual", "--client",
               f"{python_with_redis()} tests/guests/redis_py.py"]
    first = run(*command)
    assert first.code == 0, first
    assert "\nHOLDS\n" in first.out
    assert run(*command).out == first.out


def test_a_token_of_the_time_is_as_good_as_a_random_one(tmp_path):
    """redis-py's token is a version 1 UUID. With a random one in its place nothing turns: in the races that
    turned when two clients drew the same, and in some others."""
    tried = ["aof_tail_lost", "eviction", "failover", "flushall", "forced_unlock", "restart_empty", "server_clock_forward",
             "wait_is_not_enough", *list(REDIS_PY)[::6]]
    guest = TESTS / "guests/redis_py.py"
    (tmp_path / "uuid4.py").write_text(f"import sys, uuid\nuuid.uuid1 = uuid.uuid4\nexec(open({str(guest)!r}).read())\n")
    (tmp_path / "guest.py").symlink_to(guest)
    tables = [run("./scenarios/matrix", "--virtual", "--format", "tsv", "--client",
                  f"{python_with_redis()} {tmp_path}/{name}.py", *dict.fromkeys(tried)) for name in ("guest", "uuid4")]
    assert tables[0].code == 0 and tables[0].out == tables[1].out, tables
    for race in ("aof_tail_lost", "eviction", "failover", "forced_unlock", "restart_empty"):
        assert f"\n{race}\tholds\n" in tables[0].out


@needs_mariadb
def test_tooz():
    """Its lock is a name in the server, and no row: an outsider sees who has it all the same."""
    guest = ("--engine", "mariadb", "--virtual", "--client",
             f"{python_with('tooz.drivers.mysql')} tests/guests/tooz_mysql.py")
    assert not differences(TOOZ, *guest)
    first, second = (run("./scenarios/connection_dies", *guest) for _ in range(2))
    assert "locked by 8, no TTL" in first.out and first.out == second.out, first


OPENS_WITH_AN_INSERT = """
import os, sys, urllib.parse, pymysql
url = urllib.parse.urlsplit(os.environ["MYSQL_URL"])
sql = pymysql.connect(unix_socket=urllib.parse.parse_qs(url.query)["unix_socket"][0],
                      user=url.username, database=url.path[1:], autocommit=True).cursor()
sql.execute("CREATE TABLE IF NOT EXISTS method (method_name VARCHAR(64) PRIMARY KEY)")
sql.execute("INSERT IGNORE INTO method VALUES ('lock')")
print("ready", flush=True)
for line in sys.stdin:
    if line.startswith("enter"):
        sql.execute("BEGIN")
        sql.execute("SELECT method_name FROM method WHERE method_name = 'lock' FOR UPDATE NOWAIT")
    print("ok", flush=True)
"""


@needs_mariadb
def test_who_cannot_even_open_its_lock(tmp_path):
    """The server keeps the INSERT until the holder's transaction ends."""
    (tmp_path / "guest.py").write_text(OPENS_WITH_AN_INSERT)
    finished = run(ROOT / "scenarios/open_while_held", "--virtual", "--engine", "mariadb", "--client",
                   f"{python_with('tooz.drivers.mysql')} {tmp_path}/guest.py")
    assert finished.verdict == "BROKEN", finished
    assert "B cannot even open the lock: the server keeps what it has sent." in finished.out
    assert "opening the lock already needs what another client has." in finished.out


@needs_zookeeper
def test_kazoo():
    assert not differences(KAZOO, "--engine", "zookeeper", "--lease", "2", "--client",
                           f"{python_with('kazoo')} tests/guests/kazoo_lock.py")


@needs_zookeeper
def test_curator():
    if not shutil.which("javac") or not Path("/usr/share/java/curator-recipes.jar").exists():
        pytest.skip("Curator is not installed: make guests")
    assert make(ROOT, "build/guests/CuratorMutex.class").code == 0
    assert not differences(CURATOR, "--engine", "zookeeper", "--lease", "4", "--client",
                           "tests/guests/curator_mutex")


def test_curator_says_how_it_is_compiled(tmp_path):
    (tmp_path / "tests/guests").mkdir(parents=True)
    shutil.copy(TESTS / "guests/curator_mutex", tmp_path / "tests/guests")
    finished = run(tmp_path / "tests/guests/curator_mutex")
    assert (finished.code, finished.err) == (2, "make guests compiles this guest\n")


JAVA = expected(
    holds="two_processes crash_holding work_outlives_lease expired_delete delayed_delete late_grant restart_empty",
    broken="stop_the_world cut_off_holder hung_worker nested_call")


def test_java_lives_in_the_world_s_time(tmp_path):
    """With a watchdog of its own library, and the same bytes twice. The page says so, with these options."""
    if not shutil.which("javac"):
        pytest.skip("make guests has not been run after make roads")
    subprocess.run(["javac", "-Werror", "-Xlint:all", "-d", tmp_path, TESTS / "guests/JavaLock.java"], check=True)
    java = re.search(r"'(java -Xint .*) -cp build/guests JavaLock'", (ROOT / "docs/ci.md").read_text())[1]
    guest = ("--virtual", "--client", f"{java} -cp {tmp_path} JavaLock")
    assert not differences(JAVA, *guest)
    first, second = (run("./scenarios/matrix", "--format", "tsv", "--digests", *guest, *list(JAVA)[:6]) for _ in range(2))
    assert first.out == second.out, first


def test_a_guest_is_named_in_the_trace():
    finished = run("./scenarios/two_processes", "--format", "json", "--client",
                   f"{python_with_redis()} {ROOT}/tests/guests/redis_py.py")
    assert finished.document["lock"] == "client"


@pytest.mark.parametrize("title, seen", [("redis-py's Lock", REDIS_PY),
                                         ("redis-semaphore's Mutex", RECORDED),
                                         ("tooz's lock on MySQL", TOOZ),
                                         ("kazoo's Lock", KAZOO),
                                         ("Curator's InterProcessMutex", CURATOR)])
def test_the_page_names_only_what_is_asserted(title, seen):
    section = (ROOT / "docs/five_guests.md").read_text().split(f"## {title}\n")[1].split("\n## ")[0]
    named = set(re.findall(r"`(\w+)`", section)) & set(races())
    assert named and named <= set(seen)
