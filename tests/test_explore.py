"""The search: it finds what the matrix knows, it finds nothing else, and it finds
the same again."""

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lockstep import EXPLORE, ROOT, explore, locks, read_matrix, run
from world import left_behind

# What the figures in this file were counted with, and one search, not two.
ONE_SEARCH = ("--nested", "0", "--halfway", "0", "--rounds", "1", "--writes", "0", "--locks", "1")
ONE_CRASH = (*ONE_SEARCH, "--leases", "2", "--faults", "crash")


def lost(document):
    return {name for name, found in document["properties"].items() if found["lost"]}


def explored(command, *options):
    return run(EXPLORE, "--client", command, "--quiet", *options)


# --- several masters ----------------------------------------------------------

@pytest.mark.parametrize("lock, bounds, steps, said", [
    ("road_redlock", "--faults jump --leases 0", 17,
     "server 2's clock was moved by +40 s at 0.000, and A was left with 1 of 3 masters"),
    ("road_redlock", "--faults restart --leases 0", 19,
     "server 2 was killed at 0.000 and started again with an empty disk, and A was left with 1 of 3"),
    ("detour_redlock_no_validity", "--faults none --leases 1", 17,
     "A's lease ended at 30.001 while the answer that granted it was on its way to A"),
], ids=["clock", "amnesia", "late"])
def test_what_is_named_against_redlock_is_found_on_three_masters(lock, bounds, steps, said):
    """Whole: to an empty queue. And the line that it prints is lost when it is replayed."""
    document = explore("--stage", lock, *ONE_SEARCH, *bounds.split())
    assert (document["end"], document["bounds"]["masters"]) == ("empty", 3)
    assert lost(document) == {"exclusion"}
    assert document["properties"]["exclusion"]["steps"] == steps
    again = run(ROOT / "scenarios/replay", document["properties"]["exclusion"]["schedule"])
    assert again.verdict == "BROKEN" and said in " ".join(again.out.split())


def test_redlock_keeps_exclusion_when_only_time_passes():
    document = explore("--stage", "road_redlock", *ONE_SEARCH, "--faults", "none", "--leases", "1")
    assert (document["end"], lost(document)) == ("empty", set())


# --- writes -------------------------------------------------------------------

WRITES = ("--writes", "1", "--assume", "new-holder-writes")


def stale_write(stage, *options):
    document = explore("--stage", stage, *WRITES, *options)
    assert document["end"] == "empty" and set(document["properties"]) == {"resource"}
    return document["properties"]["resource"]


@pytest.mark.parametrize("stage", "456789")
def test_an_old_write_is_taken_up_to_stage_8(stage):
    """A is stopped or slow, B gets in and writes, and then A writes: stop_the_world, unaided."""
    found = stale_write(stage, "--faults", "stop")
    assert found["answer"] == ("clean" if stage == "9" else "lost")
    if found["lost"]:
        assert run(ROOT / "scenarios/replay", found["schedule"]).verdict == "BROKEN"


def test_two_holds_have_the_same_number_when_the_counter_is_lost():
    found = stale_write("9", "--faults", "restart", "--leases", "0")
    assert found["steps"] == 15
    again = run(ROOT / "scenarios/replay", found["schedule"])
    assert again.verdict == "BROKEN" and "its number is not lower than that of B's" in " ".join(again.out.split())


def test_a_new_holder_may_be_silent():
    """The same without the assumption: as in new_holder_silent."""
    document = explore("--stage", "9", "--writes", "1", "--faults", "none")
    assert document["properties"]["resource"]["answer"] == "lost"
    assert document["properties"]["resource"]["schedule"].count(":write ") == 1


# --- the same again ----------------------------------------------------------

@pytest.mark.parametrize("stage, options", [("2", ()), ("3", ()), ("5", ("--faults", "restart")),
                                            ("6", ("--quiet",))])
def test_the_same_with_any_number_of_jobs(stage, options):
    """Also what the runs have shown beside what they were made for."""
    one, three = (run(EXPLORE, "--stage", stage, "--jobs", jobs, *options) for jobs in "13")
    assert one.out == three.out
    assert one.code == three.code == 1


def without_runs(document):
    """Nor what is stored of them: a search that runs more has more texts to remember."""
    return {name: without_runs(value) if isinstance(value, dict) else value
            for name, value in document.items()
            if name not in ("runs", "remembered_bytes", "pending_bytes")}


@pytest.mark.parametrize("stage, options", [
    ("1", ONE_CRASH), ("4", ("--leases", "1", "--depth", "8")), ("5", ("--faults", "lose-answer", "--leases", "0")),
    ("2", (*ONE_SEARCH, "--faults", "restart", "--leases", "0")),
    ("7", ("--depth", "7", "--nested", "1", "--faults", "crash")),
    ("6", (*ONE_CRASH, "--depth", "7")),
    ("6", ("--clients", "1", *ONE_SEARCH, "--asks", "1", "--leases", "1", "--faults", "none", "--depth", "12")),
    ("7", ("--clients", "1", *ONE_SEARCH[2:], "--nested", "1", "--leases", "0", "--faults", "refuse,lose-answer")),
    ("2", ("--writes", "1", "--faults", "stop,give-up", "--leases", "1", "--depth", "12")),
    ("9", ("--writes", "1", "--faults", "none", "--leases", "1", "--depth", "8")),
])
def test_what_is_put_together_is_what_runs(stage, options):
    """Each transition run as a whole, twice, against steps that are remembered."""
    remembered = explore("--stage", stage, *options)
    every = explore("--stage", stage, *options, "--verify")
    if "--writes" in options:
        # A run goes on with the client that it was made for. Whether that one was told of its write or of
        # something else first is one position (memo.c) and two histories: so such a run can show a step of
        # a history that the search does not follow.
        assert remembered.pop("steps_seen") >= every.pop("steps_seen")
    assert without_runs(every) == without_runs(remembered)
    for one, other in ((every, remembered),
                       (every.get("nested", every), remembered.get("nested", remembered))):
        assert one["runs"] == 2 * one["transitions"] > other["runs"]


@pytest.mark.parametrize("stage, clean", [
    ("6", "loser"),      # its watchdog renews while a nested call is told busy
    ("7", "exclusion"),  # who is in the middle of a nested call is asked after it
])
def test_what_a_nested_call_does_not_lose(stage, clean):
    found = explore("--stage", stage, "--nested", "1", "--faults", "none", "--leases", "1",
                    "--depth", "10")
    assert clean not in lost(found)


# --- what the matrix knows ---------------------------------------------------

PROMPT, FITS = "--assume=prompt-wire", "--assume=prompt-wire,work-fits-lease"
# Races by the property that they are about, and the bounds that can express them.
FINDS = {
    "exclusion without a server": ("exclusion", ["two_processes"],
                                   ["--faults=none", "--leases=0"]),
    "a crash": ("recovery", ["crash_holding", "crash_mid_acquire"],
                ["--faults=crash", "--leases=1"]),
    "long work": ("exclusion", ["work_outlives_lease"], ["--faults=none", "--leases=1", PROMPT]),
    "a stop": ("exclusion", ["stop_the_world"], ["--faults=stop", "--leases=1", PROMPT]),
    "a late release": ("foreign", ["expired_delete", "delayed_delete"],
                       ["--faults=none", "--leases=1"]),
    "a stranger": ("foreign", ["stranger_releases"], ["--faults=stranger", "--leases=0"]),
    "a clock": ("exclusion", ["client_clock_fast"], ["--faults=ahead", "--leases=1", FITS]),
    "a hung worker": ("recovery", ["hung_worker"], ["--faults=hang", "--leases=1", PROMPT]),
    "a nested call": ("entry", ["nested_call"], ["--faults=none", "--leases=0", "--nested=1"]),
    "a restart": ("exclusion", ["restart_empty"], ["--faults=restart", "--leases=0", FITS]),
    "a lost answer": ("recovery", ["lost_grant_answer", "crash_mid_acquire"],
                      ["--faults=lose-answer", "--leases=1", FITS]),
}
# Nobody's lock can be changed where every process has its own.
NO_SERVER = {("foreign", "stage0")}
# The detours, too: once with a fault, and once with a nested call.
OF_DETOURS = {"a crash", "a nested call"}
VERDICTS = {(race, lock): verdict for race, lock, verdict in read_matrix()}
COLUMNS = list(dict.fromkeys(lock for _, lock in VERDICTS))
CELLS = [(story, lock) for story in FINDS for lock in COLUMNS
         if lock.startswith("stage") or (story in OF_DETOURS and "redlock" not in lock)]


@pytest.mark.parametrize("story, lock", CELLS)
def test_it_finds_what_the_matrix_knows_and_nothing_else(story, lock):
    name, races, bounds = FINDS[story]
    if (name, lock) in NO_SERVER:
        return
    nested = () if "--nested=1" in bounds else ONE_SEARCH
    document = explore("--stage", lock, *bounds, *nested)
    assert document["end"] == "empty"
    known = any(VERDICTS[race, lock] == "BROKEN" for race in races)
    if (story, lock) == ("a nested call", "detour_reentrant_uncounted"):
        # It is let in again. Its inner release ends the hold: the race says kept, a search count.
        known = False
        assert "count" in lost(document)
    if (story, lock) == ("a stop", "stage9"):
        # Two are inside as on stage 7. The race counts writes, and there the resource helps.
        known = True
    assert (name in lost(document)) == known, document


def test_it_finds_the_loser_who_overwrites_the_deadline():
    """Three clients, two leases, and no hint."""
    document = explore("--stage", "3", "--clients", "3", *ONE_CRASH)
    assert document["properties"]["loser"]["lost"]
    assert not explore("--stage", "3", *ONE_CRASH)["properties"]["loser"]["lost"]
    assert not explore("--stage", "4", "--clients", "3", *ONE_CRASH)["properties"]["loser"]["lost"]


def test_every_lock_of_the_matrix_is_a_lock():
    assert len(COLUMNS) == len(locks())


# --- what "clean" needs --------------------------------------------------------

def answers(*options):
    found = explore(*options)["properties"]
    return {name: (entry["answer"], entry.get("missing")) for name, entry in found.items()}


NOTHING = ("--nested", "0", "--faults", "none", "--leases", "0")
CLEAN_BUT_FOR = [
    # What is left out, and what is then not tried.
    (("--nested", "0"), {"entry", "count"}),
    (("--clients", "1"), {"exclusion", "foreign", "resource"}), # a loser: its own command, that came late
    (("--faults", "none"), {"exclusion", "recovery", "bounded"}),
    (("--faults", "none", "--assume", "no-stops,no-crashes"), set()),
    (("--leases", "0"), {"exclusion", "kept", "told", "resource"}),
    (NOTHING, {"exclusion", "recovery", "entry", "foreign", "count", "kept", "told", "bounded",
               "resource"}),
]


@pytest.mark.parametrize("options, untried", CLEAN_BUT_FOR, ids=lambda value: " ".join(sorted(value)))
def test_what_the_bounds_leave_out_is_not_clean(options, untried):
    """Stage 7 loses exclusion to a stop, resource to a slow write, and nothing else that is tried here."""
    found = answers("--stage", "7", *options)
    assert {name for name, (answer, _) in found.items() if answer == "not tried"} == untried
    assert all((missing is not None) == (answer == "not tried") for answer, missing in found.values())
    said = run(EXPLORE, "--stage", "7", "--quiet", *options).out
    for name, (answer, missing) in found.items():
        assert re.search(rf"^  {name} +{'LOST in' if answer == 'lost' else answer} ", said, re.M)
        if missing:
            assert f"{name} is not tried: {missing}." in " ".join(said.split())


def test_a_stage_is_clean_by_default_of_what_the_matrix_says_it_holds():
    """And from stage 1 on nothing is left untried, but for locks that never renew, and one whose
    holder never loses it."""
    lost_by = {}
    for stage in "1234567":
        found = answers("--stage", stage)
        untried = {name for name, (answer, _) in found.items() if answer == "not tried"}
        assert untried == (set() if stage in "67" else {"kept", "resource"} if stage == "1" else {"kept"}), found
        lost_by[stage] = {name for name, (answer, _) in found.items() if answer == "lost"}
    assert lost_by == {"1": {"recovery", "entry", "foreign", "count", "told", "bounded"},
                       "2": {"exclusion", "recovery", "entry", "foreign", "count", "told",
                             "bounded", "resource"},
                       "3": {"exclusion", "entry", "foreign", "count", "told", "resource"},
                       "4": {"exclusion", "entry", "foreign", "count", "told", "resource"},
                       "5": {"exclusion", "entry", "resource"},
                       "6": {"exclusion", "entry", "resource"},
                       "7": {"exclusion", "resource"}}


@pytest.mark.parametrize("options, without, found", [
    (("--stage", "4", "--leases", "0"), "again", "foreign"),
    (("--stage", "1"), "refuse", "recovery"),
    (("--stage", "1"), "give-up", "recovery"),
])
def test_a_fault_loses_what_is_kept_without_it(options, without, found):
    """A release too many, a release that is refused, an attempt that runs when nobody waits for it."""
    with_it = explore(*options, *ONE_SEARCH, "--faults", without)
    assert found in lost(with_it)
    assert found not in lost(explore(*options, *ONE_SEARCH, "--faults", "none"))
    finished = run(ROOT / "scenarios/replay", with_it["properties"][found]["schedule"])
    assert finished.verdict == "BROKEN", finished


@pytest.mark.parametrize("fault", ["refuse", "lose-answer"])
def test_an_inner_release_that_has_not_happened_is_made_again(fault):
    """Only then comes the outer one; and a nested call that is refused is none."""
    found = explore("--stage", "7", "--clients", "1", *ONE_SEARCH[2:], "--nested", "2", "--leases", "0",
                    "--faults", fault)
    assert lost(found) == set() and found["end"] == "empty"


def test_who_writes_asks_itself_no_more_often_than_it_may():
    """Two may be inside for long there, and the judge asks nobody."""
    found = explore("--stage", "4", "--rounds", "1", "--nested", "0", "--halfway", "0", "--writes", "1", "--asks", "1",
                    "--faults", "none", "--leases", "1")
    assert found["end"] == "empty" and lost(found) == {"resource"}


def test_a_lease_that_is_begun_anew_shows_halfway(scratch):
    """By a client that is told busy: at the instant of the entry that changes nothing."""
    scratch.mutant("stage4_set_nx_ex", "case REPLY_NIL:    return LOCK_BUSY;",
                   "case REPLY_NIL:\n        redis_call(lock->redis, \"EXPIRE %s %d\", lock->key,\n"
                   "                   lock->lease_s);\n        return LOCK_BUSY;", "lock_acquire")
    shutil.copy(EXPLORE, scratch.top / "scenarios")
    for halfway, answer in ("0", "clean"), ("1", "lost"):
        finished = run(scratch.top / "scenarios/explore", "--stage", "1", "--nested", "0", "--rounds", "1",
                       "--faults", "none", "--halfway", halfway, "--format", "json")
        assert finished.document["properties"]["loser"]["answer"] == answer


def test_a_release_under_way_may_take_the_lock_from_who_asks():
    """A stranger's, between the two commands of stage 2's attempt."""
    document = explore("--stage", "2", "--faults", "stranger", "--leases", "0", "--nested", "0")
    assert document["end"] == "empty"
    assert document["properties"]["entry"]["answer"] == "not tried"


BUSY = "def answer(word):\n    return 'busy'\n"
OK = "def answer(word):\n    return 'ok'\n"


@pytest.mark.parametrize("script, found", [
    (BUSY, {"exclusion": "not tried", "entry": "lost", "loser": "not tried",
            "foreign": "not tried", "count": "not tried"}),
    (OK, {"exclusion": "lost", "loser": "not tried", "foreign": "not tried",
          "count": "not tried"}),
])
def test_a_guest_that_does_nothing_is_clean_of_nothing(guest, script, found):
    finished = explored(guest(script), "--format", "json")
    said = finished.document["properties"]
    assert {name: said[name]["answer"] for name in found} == found


def test_a_timer_without_a_period_ends_the_search(scratch):
    """It is due again at once, and no time ever passes."""
    scratch.mutant("stage6_watchdog", "(lease_ms + 2) / 3", "0", "lock_open")
    shutil.copy(EXPLORE, scratch.top / "scenarios")
    finished = run(scratch.top / "scenarios/explore", "--stage", "1", "--faults", "none")
    assert finished.code == 2 and finished.err.count("\n") == 1, finished
    assert "or a timer a period" in finished.err


# --- tokens ------------------------------------------------------------------

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
    finished = explored(guest("import os\n" + TOKENS[kind] + OWNER), *ONE_SEARCH, "--leases", "1",
                        "--faults", "none", "--format", "json")
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
    options = (*ONE_SEARCH, "--leases", "1", "--faults", "none", "--format", "json")
    one, again = (explored(guest(script), *options) for _ in range(2))
    assert (one.code, one.out) == (1, again.out), one


def test_a_client_that_does_something_else_each_time_is_refused(guest):
    script = """import os
def answer(word):
    return "ok" if call("GET", os.urandom(8).hex()) else "error"
"""
    finished = explored(guest(script), *ONE_SEARCH)
    assert finished.code == 2 and finished.err.count("\n") == 1
    assert re.match("explore: at the end of 'v1 .*': told '.*', A now sends GET .*; before: sends GET ", finished.err)
    assert "a search needs a client that does the same when it is told the same" in finished.err


def test_what_a_server_does_otherwise_than_before_is_said(guest):
    """It does not know which connection is which."""
    script = """
def answer(word):
    if word == "enter":
        return "ok" if call("CLIENT", "ID") and call("SET", "lock", "A", "NX") else "busy"
    return "ok"
"""
    finished = explored(guest(script), *ONE_SEARCH, "--leases", "0", "--faults", "none")
    assert finished.code == 2 and finished.err.count("\n") == 1
    assert re.search("': the server answers '.*', and before it was '.*'", finished.err), finished.err


@pytest.mark.parametrize("stage", ["4", "6"])
def test_all_that_is_possible_is_tried_or_left_out_for_a_reason(stage):
    """--verify asks the world for it after every step; here with all faults."""
    every = ("crash,stop,cut,lose-answer,ahead,hang,stranger,again,refuse,give-up,restart", "--at-most", "1")
    options = ("--depth", "4", "--nested", "1", "--halfway", "1", "--leases", "1", "--rounds", "2")
    finished = run(EXPLORE, "--stage", stage, "--quiet", "--verify", *options, "--faults", *every)
    assert finished.code == 3 and not finished.err, finished


# --- schedules ---------------------------------------------------------------

@pytest.mark.parametrize("stage", ["1", "2", "3", "4", "5"])
def test_a_schedule_that_it_finds_is_lost_when_it_is_replayed(stage):
    document = explore("--stage", stage, "--nested", "1")
    assert lost(document)
    for found in document["properties"].values():
        if found["lost"]:
            assert run(ROOT / "scenarios/replay", found["schedule"]).verdict == "BROKEN"


def test_no_shorter_schedule_loses_it():
    """One move less deep, and there is nothing."""
    steps = explore("--stage", "4")["properties"]["exclusion"]["steps"]
    document = explore("--stage", "4", "--depth", str(steps - 1))
    assert document["end"] == "depth"
    assert not document["properties"]["exclusion"]["lost"]


def test_the_document():
    document = explore("--stage", "4")
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
    assert document["two_locks"]["bounds"] == {**bounds, "locks": 2, "leases": 0, "faults": {}, "at_most": 0}
    assert document["runs"] < document["steps_seen"] < document["positions"]
    assert document["positions"] < document["transitions"]
    assert "a client got in" in document["seen"] and "a client set a timer" not in document["seen"]
    assert "an owner asked again" not in document["seen"]
    assert "an owner asked again" in document["nested"]["seen"]


# --- a lease of one's own -----------------------------------------------------

OWN_LEASE = ("--own-lease", "5", "--nested", "1", "--leases", "0", "--faults", "lose-answer", "--halfway", "0",
             "--rounds", "1", "--writes", "0", "--locks", "1")


def test_a_lease_of_one_s_own_is_tried():
    """The answer to a nested call with a short lease is lost: the holder must not believe in the longer one."""
    clean = explore("--stage", "detour_reentrant_lease", *OWN_LEASE)
    assert lost(clean) == set() and clean["end"] == "empty"
    assert clean["bounds"]["own_lease_s"] == 5


def test_what_asks_for_a_lease_of_its_own_is_what_runs():
    options = ("--stage", "detour_reentrant_lease", *OWN_LEASE, "--depth", "5")
    assert without_runs(explore(*options, "--verify")) == without_runs(explore(*options))


def test_who_cannot_take_a_lease_of_its_own_is_not_searched_for_it():
    assert "own_lease" in explore("--stage", "detour_reentrant_lease", "--depth", "3")
    assert "own_lease" not in explore("--stage", "7", "--depth", "3")
    refused = run(EXPLORE, "--stage", "7", "--own-lease", "5")
    assert refused.code == 2 and "cannot take a lease for a single acquire" in refused.err
    refused = run(EXPLORE, "--stage", "detour_reentrant_lease", "--own-lease", "5", "--wait", "60")
    assert refused.code == 2 and "does not wait" in refused.err


def test_the_positions_of_two_depths_are_memory_too():
    """Those that are worked on and those that they lead to: some hundred bytes each."""
    before, after = (explore("--stage", "4", "--depth", depth, *ONE_CRASH) for depth in "68")
    positions = after["positions"] - before["positions"]
    assert 200 * positions < after["level_bytes"] < 400 * positions


# --- values that are no line of text -----------------------------------------

def test_a_value_is_one_line_of_a_position(scratch):
    """Plain stage 4 in all but its lock's value: the same search."""
    scratch.mutant("stage4_set_nx_ex", "SET %s locked NX EX %d\",\n" + 36 * " " + "lock->key,",
                   "SET %s %s NX EX %d\", lock->key, \"one\\nlock2 5 two\",", "lock_acquire")
    shutil.copy(EXPLORE, scratch.top / "scenarios")
    finished = run(scratch.top / "scenarios/explore", "--stage", "1", "--leases", "1",
                   "--positions", "2000", "--format", "json", *ONE_CRASH)
    assert finished.code == 1, finished
    mutant, plain = finished.document, explore("--stage", "4", *ONE_CRASH)
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
"""), "--positions", "5000", "--format", "json", *ONE_CRASH)
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
    finished = explored(guest(TALKATIVE), "--faults", "none", "--leases", "1", "--format", "json",
                        *ONE_SEARCH)
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
    finished = explored(guest(TWINS), "--faults", "stranger", "--format", "json")
    assert finished.code == 1, finished
    assert finished.document["end"] == "empty"


# It has somebody at its side who does not end when it does.
ATTENDED = """
import subprocess
subprocess.Popen(["sleep", "1000"])
def answer(word):
    return "ok"
"""


@pytest.mark.parametrize("faults", ["none", "crash,stop"])
def test_what_a_guest_has_started_ends_with_it(guest, temporary, faults):
    finished = explored(guest(ATTENDED), "--depth", "4", "--faults", faults)
    assert finished.code == 1 and "as --depth says" in finished.out, finished
    assert left_behind(temporary) == []


# --- ends --------------------------------------------------------------------

def test_a_search_that_is_stopped_says_how_far_it_came(temporary):
    full = run(EXPLORE, "--stage", "6", "--positions", "500", "--quiet", *ONE_CRASH)
    assert full.code == 3
    assert "stopped: the table is full" in full.out
    assert "not lost so far" in full.out and "clean   " not in full.out
    assert left_behind(temporary) == [] and not list(temporary.iterdir())


@pytest.mark.parametrize("more", [["--jobs", "1"], ["--jobs", "3"], ["--verify"]], ids=" ".join)
def test_a_full_table_ends_it_within_a_depth(more):
    """The same on every machine: it ends in the middle of a depth."""
    full = run(EXPLORE, "--stage", "6", "--positions", "500", "--quiet", *ONE_CRASH, *more)
    assert full.code == 3
    assert "tried     501 positions, 843 transitions, schedules of up to 7 moves and some" in full.out


@pytest.mark.parametrize("jobs", "13")
def test_a_full_memory_ends_it_within_a_depth(jobs):
    """All that it stores is counted, and the same on every machine."""
    document = explore("--stage", "6", "--memory", "2", "--jobs", jobs, *ONE_CRASH)
    assert (document["end"], document["positions"], document["transitions"]) == ("memory", 9871, 26700)
    parts = [document[f"{part}_bytes"] for part in ("table", "level", "remembered", "pending")]
    assert min(parts) > 10000
    assert 2 << 20 <= sum(parts) < (2 << 20) + 100000
    text = run(EXPLORE, "--stage", "6", "--memory", "2", "--jobs", jobs, "--quiet",
               *ONE_CRASH)
    assert text.code == 3
    assert "16 moves and some of one more;\n            stopped: the memory is full" in text.out


MEASURE = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


def test_what_it_stores_is_what_it_takes():
    """70 MB, and what a process takes that has only begun."""
    # A process counts as its own what the one took that has started it: so that is a small one.
    measured = run(sys.executable, "-c", MEASURE, EXPLORE, "--stage", "2", *ONE_CRASH, "--clients", "3",
                   "--rounds", "3", "--memory", "70", "--quiet")
    assert measured.code in (1, 3), measured
    assert 65 < int(measured.out) / 1024 < 80


def test_a_table_that_is_just_large_enough():
    whole = explore("--stage", "4", *ONE_CRASH)
    def limited(count):
        return explore("--stage", "4", "--positions", str(count), *ONE_CRASH)

    assert without_runs(limited(whole["positions"])) == without_runs(whole)
    assert limited(whole["positions"] - 1)["end"] == "full"


CLEAN = "\n  Clean is clean within these bounds, and no more.\n"


def test_all_is_said_of_a_search_that_came_to_its_end():
    stopped, whole = (run(EXPLORE, "--stage", "4", "--quiet", *bounds).out
                      for bounds in (["--positions", "1", *ONE_CRASH], ["--leases", "0"]))
    assert "  run       0 schedules for real, which showed 3 things that clients and server do\n" in stopped
    assert CLEAN not in stopped
    assert " which showed all " in whole and whole.endswith(CLEAN)


def wait_for_a_world(runner, folder, limit_s=600):
    end = time.monotonic() + limit_s
    while not any(folder.iterdir()):
        assert runner.poll() is None, "it ended before it had a world"
        assert time.monotonic() < end, f"no world within {limit_s} s"


def test_ctrl_c(temporary):
    """On a search that takes minutes, as soon as it has begun."""
    runner = subprocess.Popen(
        [EXPLORE, "--stage", "6", "--clients", "3", "--leases", "2", "--faults", "restart", "--quiet"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    wait_for_a_world(runner, temporary)
    os.killpg(runner.pid, signal.SIGINT)
    out, err = runner.communicate(timeout=1200)
    assert runner.returncode == 3, (out, err)
    assert "stopped by a signal" in out
    assert left_behind(temporary) == [] and not list(temporary.iterdir())


def test_no_memory_is_left(temporary):
    """In the middle of a search that takes minutes there is not a megabyte more."""
    runner = subprocess.Popen(
        [EXPLORE, "--stage", "7", "--clients", "3", "--jobs", "1", "--quiet", *ONE_CRASH],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    wait_for_a_world(runner, temporary)
    pages = int((Path("/proc") / str(runner.pid) / "statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + 1000000
    resource.prlimit(runner.pid, resource.RLIMIT_AS, (limit, limit))
    out, err = runner.communicate(timeout=1200)
    assert (runner.returncode, out) == (2, ""), err
    assert "explore: no memory is left" in err.splitlines()
    assert left_behind(temporary) == [] and not list(temporary.iterdir())


def test_killed(temporary):
    runner = subprocess.Popen([EXPLORE, "--stage", "6", "--clients", "3"], start_new_session=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for_a_world(runner, temporary)
    runner.kill()
    runner.communicate(timeout=1200)
    assert left_behind(temporary) == []
    assert not list(temporary.iterdir())


@pytest.mark.parametrize("options, said", [
    (["--clients", "4"], "'4' does not go with --clients: say a number from 1 to 3"),
    (["--rounds", "x"], "'x' does not go with --rounds: say a number from 1 to 9"),
    (["--memory", "0"], "'0' does not go with --memory: say a number from 1 to 1000000"),
    (["--faults", "fire"], "'fire' is not a fault: --help lists them"),
    (["--faults", ""], "'' is not a fault: --help lists them"),
    (["--faults", "crash,"], "'' is not a fault: --help lists them"),
    (["--assume", ""], "'' is not an assumption: --help lists them"),
    (["--faults", "crash:x"], "'x' does not go with crash: say a number from 0 to 9"),
    (["--assume", "luck"], "'luck' is not an assumption: --help lists them"),
    (["--format", "xml"], "'xml' is not a format: say text or json"),
    (["--stage", "99"], "there is no lock '99'"),
    (["--client", ""], "the guest's command is empty"),
    (["--client", "x", "--stage", "4"], "--client takes the place of --stage"),
    (["word"], "'word' is one word too many"),
])
def test_wrong_use(options, said):
    finished = run(EXPLORE, *options)
    assert (finished.code, finished.out) == (2, "")
    assert finished.err.count("\n") == 1 and said in finished.err
