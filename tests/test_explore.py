"""The search: what it tries and what it says. (tests/all has the long ones.)"""

import os
import re
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest

from lockstep import EXPLORE, ONE_CRASH, ONE_SEARCH, explore, lost, refused, run, told, without_runs, words


def explored(command, *options):
    return run(EXPLORE, "--client", command, *words(options), "--quiet", "--format", "json")


@pytest.mark.parametrize("options, without, found", [
    ("--stage 4 --leases 0", "again", "foreign"),
    ("--stage 1", "refuse", "recovery"),
    ("--stage 1", "give-up", "recovery"),
])
def test_a_fault_loses_what_is_kept_without_it(options, without, found):
    """A release too many, a release that is refused, an attempt that runs when nobody waits for it."""
    with_it = explore(options, ONE_SEARCH, "--faults", without)
    assert found in lost(with_it)
    assert found not in lost(explore(options, ONE_SEARCH, "--faults none"))
    assert told(with_it["properties"][found]["schedule"].removeprefix("v1 ")).verdict == "BROKEN"


@pytest.mark.parametrize("fault", ["refuse", "lose-answer"])
def test_an_inner_release_that_has_not_happened_is_made_again(fault):
    """Only then comes the outer one; and a nested call that is refused is none."""
    found = explore("--stage 7 --clients 1", ONE_SEARCH, "--nested 2 --leases 0 --faults", fault)
    assert lost(found) == set() and found["end"] == "empty"


def test_who_writes_asks_itself_no_more_often_than_it_may():
    """Two may be inside for long there, and the judge asks nobody."""
    found = explore("--stage 4 --rounds 1 --nested 0 --halfway 0 --writes 1 --asks 1 --faults none --leases 1")
    assert found["end"] == "empty" and lost(found) == {"resource"}


def test_a_lease_that_is_begun_anew_shows_halfway(scratch):
    """By a client that is told busy: at the instant of the entry that changes nothing."""
    scratch.mutant("stage4_set_nx_ex", "case REPLY_NIL:    return LOCK_BUSY;",
                   "case REPLY_NIL:\n        redis_call(lock->redis, \"EXPIRE %s %d\", lock->key,\n"
                   "                   lock->lease_s);\n        return LOCK_BUSY;", "lock_acquire")
    options = words(["--stage 1 --nested 0 --rounds 1 --faults none --format json --halfway"])
    for halfway, answer in ("0", "clean"), ("1", "lost"):
        finished = run(scratch.take("explore"), *options, halfway)
        assert finished.document["properties"]["loser"]["answer"] == answer


def test_a_release_under_way_may_take_the_lock_from_who_asks():
    """A stranger's, between the two commands of stage 2's attempt."""
    document = explore("--stage 2 --faults stranger --leases 0 --nested 0")
    assert document["end"] == "empty"
    assert document["properties"]["entry"]["answer"] == "not tried"


@pytest.mark.parametrize("answer, found", [
    ("busy", {"exclusion": "not tried", "entry": "lost"}), ("ok", {"exclusion": "lost"})])
def test_a_guest_that_does_nothing_is_clean_of_nothing(guest, answer, found):
    said = explored(guest(f"def answer(word): return '{answer}'\n")).document["properties"]
    found |= dict.fromkeys(["loser", "foreign", "count"], "not tried")
    assert {name: said[name]["answer"] for name in found} == found


def test_a_timer_without_a_period_is_no_progress(scratch):
    """It is due again at once, and no time ever passes."""
    scratch.mutant("stage6_watchdog", "(lease_ms + 2) / 3", "0", "lock_open")
    search = scratch.take("explore"), "--stage", "1", "--faults", "none"
    said = run(*search)
    assert said.code == 1 and "progress  LOST in 16 steps" in said.out and "A comes to no end" in said.out, said
    assert "v1 stage1 strict A:enter A>< (A2><)*998 A2>'" in said.out
    document = run(*search, "--format", "json").document
    assert document["end"] == "endless" and document["properties"]["progress"]["lost"]
    assert "clean" not in {row["answer"] for row in document["properties"].values()}
    table = run(scratch.take("assumptions"), "--stage", "1", "--faults", "none", "--leases", "0", "--format", "tsv")
    answers = dict(zip(*(line.split("\t") for line in table.out.splitlines()[:2])))
    assert answers["progress"] == "never" and answers["loser"] == "not tried", table


def test_a_client_with_many_commands_and_an_end_is_no_loss_of_progress(scratch):
    """Nor can it be searched."""
    scratch.mutant("stage1_setnx", "    switch (reply.type) {",
                   "    for (int i = 0; i < 60; i++)\n        redis_call(lock->redis, \"PING\");\n"
                   "    switch (reply.type) {", "lock_acquire")
    assert "such a lock cannot be searched" in refused(scratch.take("explore"), "--stage", "1", "--faults", "none",
                                                       "--clients", "1")


# --- tokens ------------------------------------------------------------------

ONLY_TIME = "--leases 1 --faults none"
TOKENS = {
    "a counter": "made = 0\ndef token():\n    global made\n    made += 1\n    return str(made)\n",
    "a process": "def token():\n    return f'{os.getpid()}:1'\n",
    "rand() seeded": "import random\nrandom.seed(os.getpid())\n"
                     "def token():\n    return str(random.randrange(10**9))\n",
    "8 random bytes": "def token():\n    return os.urandom(8).hex()\n",
    "random": "import base64\ndef token():\n    return base64.b64encode(os.urandom(16)).decode()\n",
}
OWNER = """
import os
mine = ""
def answer(word):
    global mine
    if word == "enter":
        new = token()
        if call("SET", "lock", new, "NX", "PX", "30000").startswith("+"):
            mine = new
            return "ok"
        return "busy"
    if word == "leave":
        script = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) or 0"
        return "ok" if call("EVAL", script, "1", "lock", mine) == ":1\\r\\n" else "lost"
    return "ok"
"""


@pytest.mark.parametrize("kind", TOKENS)
def test_tokens_need_not_look_like_tokens(guest, kind):
    """And are no secret: two clients that count from 1 have one token, and so have two that make it
    of their process id alone, in containers as they are used everywhere."""
    finished = explored(guest("import os\n" + TOKENS[kind] + OWNER), ONE_SEARCH, ONLY_TIME)
    assert finished.code == 1, finished
    shared = kind in ("a counter", "a process", "rand() seeded")
    assert lost(finished.document) == {"exclusion"} | ({"foreign", "told"} if shared else set())


def test_a_key_with_a_token_in_it_has_one_place(guest):
    """The server's keys are told in the order of the tokens' names: tokens are others each time."""
    script = """
import os
mine = os.urandom(16).hex()
def answer(word):
    if word == "enter":
        if not call("SET", "lock", mine, "NX", "PX", "30000").startswith("+"):
            return "busy"
        call("INCR", "holds:" + mine)
    if word == "leave":
        call("DEL", "lock")
    return "ok"
"""
    one, again = (explored(guest(script), ONE_SEARCH, ONLY_TIME) for _ in range(2))
    assert (one.code, one.out) == (1, again.out), one


def test_a_client_that_does_something_else_each_time_is_refused(guest):
    script = """import os
def answer(word):
    # The kernel's own file: random in the world, too.
    return "ok" if call("GET", open("/proc/sys/kernel/random/uuid").read()[:8]) else "error"
"""
    said = refused(EXPLORE, "--client", guest(script), *words([ONE_SEARCH]))
    assert re.match("explore: at the end of 'v1 .*': told '.*', A now sends GET .*; before: sends GET ", said)
    assert "a search needs a client that does the same when it is told the same" in said


def test_what_a_server_does_otherwise_than_before_is_said(guest):
    """It does not know which connection is which."""
    script = """
def answer(word):
    if word == "enter":
        return "ok" if call("CLIENT", "ID") and call("SET", "lock", "A", "NX") else "busy"
    return "ok"
"""
    said = refused(EXPLORE, "--client", guest(script), *words([ONE_SEARCH, "--leases 0 --faults none"]))
    assert re.search("': the server answers '.*', and before it was '.*'", said), said


def test_no_shorter_schedule_loses_it():
    """One move less deep, and there is nothing."""
    steps = explore("--stage 4")["properties"]["exclusion"]["steps"]
    document = explore(f"--stage 4 --depth {steps - 1}")
    assert document["end"] == "depth"
    assert not document["properties"]["exclusion"]["lost"]


def test_the_document():
    document = explore("--stage 4")
    assert document["lock"] == "stage4_set_nx_ex"
    bounds = {"clients": 2, "wait_s": 0, "rounds": 1, "nested": 0, "leases": 1, "time_s": 0,
              "writes": 0, "halfway": 0, "faults": {"crash": 1, "stop": 1, "lose-answer": 1, "stranger": 1},
              "at_most": 1, "assumed": []}
    assert document["bounds"] == bounds
    assert document["nested"]["bounds"] == {
        **bounds, "nested": 1, "leases": 0, "faults": {**bounds["faults"], "refuse": 1}}
    assert document["alone"]["bounds"] == {
        **bounds, "clients": 1, "rounds": 2, "asks": 1, "faults": {}, "at_most": 0}
    assert document["halfway"]["bounds"] == {**bounds, "halfway": 1, "faults": {}, "at_most": 0}
    assert document["rare"]["bounds"] == {**bounds, "faults": {"again": 1, "refuse": 1, "give-up": 1}}
    assert document["two_rounds"]["bounds"] == {
        **bounds, "rounds": 2, "leases": 0, "faults": {"lose-answer": 1, "again": 1, "give-up": 1}}
    assert document["writes"]["bounds"] == {**bounds, "writes": 1, "faults": {}, "at_most": 0}
    two_locks = {**bounds, "locks": 2, "leases": 0, "faults": {}, "at_most": 0}
    assert document["two_locks"]["bounds"] == two_locks
    assert document["turned_locks"]["bounds"] == {**two_locks, "turned": True}
    assert document["runs"] < document["steps_seen"] < document["positions"]
    assert document["positions"] < document["transitions"]
    assert "a client got in" in document["seen"] and "a client set a timer" not in document["seen"]
    assert "an owner asked again" not in document["seen"]
    assert "an owner asked again" in document["nested"]["seen"]


# --- a lease of one's own -----------------------------------------------------

OWN_LEASE = f"--stage detour_reentrant_lease {ONE_SEARCH} --nested 1 --leases 0 --faults lose-answer --own-lease 5"


def test_a_lease_of_one_s_own_is_tried():
    """The answer to a nested call with a short lease is lost: the holder must not believe in the longer one."""
    clean = explore(OWN_LEASE)
    assert lost(clean) == set() and clean["end"] == "empty"
    assert clean["bounds"]["own_lease_s"] == 5
    options = OWN_LEASE, "--depth 5"
    assert without_runs(explore(*options, "--verify")) == without_runs(explore(*options))


def test_who_cannot_take_a_lease_of_its_own_is_not_searched_for_it():
    assert "own_lease" in explore("--stage detour_reentrant_lease --depth 3")
    assert "own_lease" not in explore("--stage 7 --depth 3")


def test_the_positions_of_two_depths_are_memory_too():
    """Those that are worked on and those that they lead to: some hundred bytes each."""
    before, after = (explore("--stage 4 --depth", depth, ONE_CRASH) for depth in "68")
    positions = after["positions"] - before["positions"]
    assert 200 * positions < after["level_bytes"] < 400 * positions


# --- values that are no line of text -----------------------------------------

def test_a_value_is_one_line_of_a_position(scratch):
    """Plain stage 4 in all but its lock's value: the same search."""
    scratch.mutant("stage4_set_nx_ex", "SET %s locked NX EX %d\",\n" + 36 * " " + "lock->key,",
                   "SET %s %s NX EX %d\", lock->key, \"one\\nlock2 5 two\",", "lock_acquire")
    options = words(["--stage 1 --positions 2000 --format json", ONE_CRASH])
    mutant, plain = run(scratch.take("explore"), *options).document, explore("--stage 4", ONE_CRASH)
    for counted in ("positions", "transitions", "runs"):
        assert mutant[counted] == plain[counted]
    assert lost(mutant) == lost(plain) == {"exclusion", "foreign", "told"}


def test_a_token_after_a_line_break_is_a_token(guest):
    """Tokens have names, so that two runs are the same."""
    finished = explored(guest("""
import uuid
token = "\\n" + uuid.uuid4().hex
def answer(word):
    if word == "enter":
        return "ok" if "OK" in call("SET", "lock", token, "NX", "PX", "30000") else "busy"
    if word == "leave" and token in call("GET", "lock"):
        call("DEL", "lock")
    return "ok"
"""), ONE_CRASH, "--positions 5000")
    assert finished.code == 1, finished
    assert lost(finished.document) == {"exclusion", "foreign", "told"}


# --- guests ------------------------------------------------------------------

def test_a_guest_that_sends_too_much_at_once(guest):
    finished = explored(guest("""
def answer(word):
    servers = [connect() for _ in range(5)]
    for server in servers: server.sendall(request("PING"))
    for server in servers: server.recv(100)
    return "ok"
"""))
    assert (finished.code, finished.out) == (2, "")
    assert finished.err.splitlines()[0] == (
        "explore: A sends on more than 4 connections at once: a search does not follow that")


# Whose lock it is stands at the end of a long answer.
TALKATIVE = """
import uuid
token = uuid.uuid4().hex
look = "return string.rep('-', 3000) .. (redis.call('get', KEYS[1]) or '')"
def answer(word):
    if word == "enter":
        return "ok" if "OK" in call("SET", "lock", token, "NX", "PX", "30000") else "busy"
    if word == "leave" and token in call("EVAL", look, "1", "lock"):
        call("DEL", "lock")
    return "ok"
"""


def test_a_long_answer_is_an_answer(guest):
    finished = explored(guest(TALKATIVE), ONE_SEARCH, ONLY_TIME)
    assert finished.code == 1, finished
    assert lost(finished.document) == {"exclusion", "foreign", "told"}


# Both scripts begin alike; each does something else.
TWINS = """
def script(text, *words):
    return call("EVAL", "-- do it\\n" + text, "1", "lock", *words)
def answer(word):
    if word == "enter":
        return "ok" if ":1" in script("return redis.call('setnx', KEYS[1], 'x')") else "busy"
    if word == "leave":
        script("return redis.call('del', KEYS[1])")
    return "ok"
"""


def test_scripts_are_told_apart_by_their_text(guest):
    """And not by which of them comes first: a stranger begins with the other one."""
    finished = explored(guest(TWINS), "--faults stranger")
    assert finished.code == 1, finished
    assert finished.document["end"] == "empty"


# It starts a process that does not end when it does. Until that one waits, it has
# long worked beside the client.
ATTENDED = """
import subprocess, sys
subprocess.Popen([sys.executable, "-c", "import json, select; select.select([], [], [], 1000)"])
def answer(word):
    return "ok"
"""


@pytest.mark.parametrize("faults", ["none", "crash,stop"])
def test_what_a_guest_has_started_ends_with_it(guest, temporary, faults):
    finished = explored(guest(ATTENDED), "--depth 4 --faults", faults)
    assert finished.code == 1 and finished.document["end"] == "depth", finished


# --- ends --------------------------------------------------------------------

def test_a_search_that_is_stopped_says_how_far_it_came(temporary):
    full = run(EXPLORE, *words(["--stage 6 --positions 500 --quiet", ONE_CRASH]))
    assert full.code == 3
    assert "stopped: the table is full" in full.out
    assert "not lost so far" in full.out and "clean   " not in full.out


def test_a_table_that_is_just_large_enough():
    whole = explore("--stage 4", ONE_CRASH)
    same, less = (explore("--stage 4", ONE_CRASH, f"--positions {whole['positions'] - n}") for n in (0, 1))
    assert without_runs(same) == without_runs(whole) and less["end"] == "full"


CLEAN = "\n  Clean is clean within the bounds below, and no more.\n"


def test_all_is_said_of_a_search_that_came_to_its_end():
    stopped, whole = (run(EXPLORE, *words(["--stage 4 --quiet", bounds])).out
                      for bounds in (f"--positions 1 {ONE_CRASH}", "--leases 0"))
    assert "  run       0 schedules for real, which showed 3 things that clients and server do\n" in stopped
    assert CLEAN not in stopped
    assert " which showed all " in whole and CLEAN in whole


def test_the_answer_comes_first():
    """Then the traces, and last how far the search went."""
    said = run(EXPLORE, *words(["--stage 4", ONE_SEARCH, "--leases 1 --faults none"])).out
    head, empty, first, *_ = said.splitlines()
    assert (head, empty) == ("explore stage4_set_nx_ex, lease 30 s", "") and first.startswith("  exclusion LOST in ")
    answer, *traces = said.split("exclusion on stage4_set_nx_ex")
    assert CLEAN in answer and "bounds   " not in answer and traces
    traces, search = "".join(traces).split("\nThe search:\n\n")
    assert traces.count("BROKEN: ") == answer.count("LOST in ") and "Again: " in traces
    assert search.startswith("  bounds    ") and "Again: " not in search and "LOST" not in search


@pytest.fixture
def begun(temporary):
    """A search that takes minutes, as soon as it has begun."""
    def start(options, limit_s=600):
        runner = subprocess.Popen([EXPLORE, *words([options]), "--quiet"], text=True, start_new_session=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end = time.monotonic() + limit_s
        while not any(temporary.iterdir()):
            assert runner.poll() is None, "it ended before it had a world"
            assert time.monotonic() < end, f"no world within {limit_s} s"
        return runner

    return start


def test_ctrl_c(begun):
    runner = begun("--stage 6 --clients 3 --leases 2 --faults restart")
    os.killpg(runner.pid, signal.SIGINT)
    out, err = runner.communicate(timeout=1200)
    assert runner.returncode == 3, (out, err)
    assert "stopped by a signal" in out


def test_no_memory_is_left(begun):
    """In the middle of it there is not a megabyte more."""
    runner = begun(f"--stage 7 {ONE_CRASH} --clients 3 --jobs 1")
    pages = int(Path(f"/proc/{runner.pid}/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + 1000000
    resource.prlimit(runner.pid, resource.RLIMIT_AS, (limit, limit))
    out, err = runner.communicate(timeout=1200)
    assert (runner.returncode, out) == (2, ""), err
    assert "explore: no memory is left" in err.splitlines()


def test_killed(begun):
    runner = begun("--stage 6 --clients 3")
    runner.kill()
    runner.communicate(timeout=1200)
