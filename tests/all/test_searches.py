"""The long searches: they find what the matrix knows, and nothing else; and what a search puts
together from steps that it remembers is what runs."""

import re
import sys

import pytest

from lockstep import EXPLORE, ONE_CRASH, ONE_SEARCH, explore, expected, lost, run, told, without_runs, words


def answers(*options):
    found = explore(*options)["properties"]
    return {name: (entry["answer"], entry.get("missing")) for name, entry in found.items()}


def again(found, lock=""):
    """What a search has found, played again: as one line."""
    finished = told(found["schedule"].removeprefix("v1 ").replace("any ", f"{lock} ", 1))
    assert (finished.verdict, finished.err) == ("BROKEN", ""), finished
    return finished.flat


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
    document = explore("--stage", lock, ONE_SEARCH, bounds)
    assert (document["end"], document["bounds"]["masters"]) == ("empty", 3)
    assert lost(document) == {"exclusion"}
    assert document["properties"]["exclusion"]["steps"] == steps
    assert said in again(document["properties"]["exclusion"])


def test_redlock_keeps_exclusion_when_only_time_passes():
    document = explore("--stage road_redlock --faults none --leases 1", ONE_SEARCH)
    assert (document["end"], lost(document)) == ("empty", set())


# --- writes -------------------------------------------------------------------

def stale_write(stage, bounds):
    document = explore("--stage", stage, "--writes 1 --assume new-holder-writes", bounds)
    assert document["end"] == "empty" and set(document["properties"]) == {"resource", "progress"}
    return document["properties"]["resource"]


@pytest.mark.parametrize("stage", "456789")
def test_an_old_write_is_taken_up_to_stage_8(stage):
    """A is stopped or slow, B gets in and writes, and then A writes: stop_the_world, unaided."""
    found = stale_write(stage, "--faults stop")
    assert found["answer"] == ("clean" if stage == "9" else "lost")
    assert stage == "9" or again(found)


def test_two_holds_have_the_same_number_when_the_counter_is_lost():
    found = stale_write("9", "--faults restart --leases 0")
    assert found["steps"] == 15 and "its number is not lower than that of B's" in again(found)


def test_a_new_holder_may_be_silent():
    """The same without the assumption: as in new_holder_silent."""
    found = explore("--stage 9 --writes 1 --faults none")["properties"]["resource"]
    assert found["answer"] == "lost" and found["schedule"].count(":write ") == 1


# --- waiting ------------------------------------------------------------------

# Deep enough for a second message behind the first, and not to the end; and where one who waits
# can be killed, and nothing else is late.
TO_WAIT = "--wait 60 --nested 0 --halfway 0 --rounds 1"
ONLY_TIME = "--depth 14 --faults none"
A_WAITER_DIES = "--depth 16 --clients 3 --faults crash --assume prompt-wire"


@pytest.mark.parametrize("lock, bounds, steps, said", [
    ("8", ONLY_TIME, 0, ""),
    ("9", ONLY_TIME, 0, ""),
    ("detour_subscribe_once", ONLY_TIME, 11, "BROKEN: B still waits, though the lock has been free for a second."),
    ("8", A_WAITER_DIES, 0, ""),
    ("detour_blpop", A_WAITER_DIES, 16,
     "The server told B, who was killed at 0.000, and nobody else; C still sleeps."),
])
def test_a_search_finds_who_sleeps_beside_a_free_lock(lock, bounds, steps, said):
    document = explore("--stage", lock, TO_WAIT, bounds)
    assert "the lock became free while a client that waits slept" in document["seen"]
    wakeup = document["properties"]["wakeup"]
    assert (wakeup["lost"], wakeup.get("steps", 0)) == (steps > 0, steps), wakeup
    assert steps or document["end"] == "depth"
    assert not steps or said in again(wakeup, lock)


def test_it_is_among_the_properties_where_clients_wait():
    bounds = "--wait 60 --depth 12 --faults none"
    assert "wakeup" in lost(explore("--stage detour_subscribe_once", bounds))
    assert lost(explore("--stage 8", bounds)) == set()


# --- the same again -----------------------------------------------------------

@pytest.mark.parametrize("options", ["--stage 2", "--stage 3", "--stage 5 --faults restart", "--stage 6 --quiet"])
def test_the_same_with_any_number_of_jobs(options):
    """Also what the runs have shown beside what they were made for."""
    one, three = (run(EXPLORE, *words([options]), "--jobs", jobs) for jobs in "13")
    assert one.out == three.out
    assert one.code == three.code == 1


@pytest.mark.parametrize("options", [
    f"--stage 1 {ONE_CRASH}",
    "--stage 4 --leases 1 --depth 8",
    "--stage 5 --faults lose-answer --leases 0 --depth 10",
    f"--stage 2 {ONE_SEARCH} --faults restart --leases 0",
    "--stage 7 --depth 7 --nested 1 --faults crash",
    f"--stage 6 {ONE_CRASH} --depth 7",
    f"--stage 6 --clients 1 {ONE_SEARCH} --asks 1 --leases 1 --faults none --depth 12",
    f"--stage 7 --clients 1 {ONE_SEARCH} --nested 1 --leases 0 --faults refuse,lose-answer",
    "--stage 2 --writes 1 --faults stop,give-up --leases 1 --depth 12",
    "--stage 9 --writes 1 --faults none --leases 1 --depth 8",
    # A waiter can be cut off or killed, or be told that its time is up.
    f"--stage detour_blpop {TO_WAIT} --faults crash,cut --at-most 1 --depth 9",
    # Two locks: without and with faults. A client that was stopped wakes once for each of two timers. It may take
    # its second lock before or after a renewal of the first, and has been told the same then.
    "--stage 5 --locks 2 --leases 0 --faults none --depth 10",
    "--stage 2 --locks 2 --leases 1 --faults crash,cut --depth 7",
    "--stage 6 --locks 2 --clients 1 --faults stop --depth 10",
    "--stage 6 --locks 2 --clients 1 --leases 0 --time 10 --faults none",
])
def test_what_is_put_together_is_what_runs(options):
    """Each transition run as a whole, twice, against steps that are remembered."""
    remembered, every = explore(options), explore(options, "--verify")
    if "--writes 1" in options or "--wait" in options:
        # A run goes on with the client that it was made for. Whether that one was told of its write or of
        # something else first is one position (memo.c) and two histories: so such a run can show a step of
        # a history that the search does not follow.
        assert remembered.pop("steps_seen") >= every.pop("steps_seen")
    assert without_runs(every) == without_runs(remembered)
    for one, other in ((every, remembered),
                       (every.get("nested", every), remembered.get("nested", remembered))):
        assert one["runs"] == 2 * one["transitions"] > other["runs"]


@pytest.mark.parametrize("stage", ["4", "6"])
def test_all_that_is_possible_is_tried_or_left_out_for_a_reason(stage):
    """--verify asks the world for it after every step; here with all faults."""
    options = ("--faults crash,stop,cut,lose-answer,ahead,hang,stranger,again,refuse,give-up,restart --at-most 1 "
               "--depth 4 --nested 1 --halfway 1 --leases 1 --rounds 2 --quiet --verify")
    finished = run(EXPLORE, "--stage", stage, *words([options]))
    assert finished.code == 3 and not finished.err, finished


@pytest.mark.parametrize("more", ["--jobs 1", "--jobs 3", "--verify"])
def test_a_full_table_ends_it_within_a_depth(more):
    """The same on every machine: it ends in the middle of a depth."""
    full = run(EXPLORE, *words(["--stage 6 --positions 500 --quiet", ONE_CRASH, more]))
    assert full.code == 3
    assert "tried     501 positions, 843 transitions, schedules of up to 7 moves and some" in full.out


@pytest.mark.parametrize("jobs", ["--jobs 1", "--jobs 3"])
def test_a_full_memory_ends_it_within_a_depth(jobs):
    """All that it stores is counted, and the same on every machine."""
    options = "--stage 6 --memory 2", ONE_CRASH, jobs
    document = explore(*options)
    assert (document["end"], document["positions"], document["transitions"]) == ("memory", 9944, 26983)
    parts = [document[f"{part}_bytes"] for part in ("table", "level", "remembered", "pending")]
    assert min(parts) > 10000
    assert 2 << 20 <= sum(parts) < (2 << 20) + 100000
    text = run(EXPLORE, *words([*options, "--quiet"]))
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
    options = words([ONE_CRASH, "--stage 2 --clients 3 --rounds 3 --memory 70 --quiet"])
    measured = run(sys.executable, "-c", MEASURE, EXPLORE, *options)
    assert measured.code in (1, 3), measured
    assert 65 < int(measured.out) / 1024 < 80


# --- what the matrix knows ----------------------------------------------------

# Races by the property that they are about, and the bounds that can express them.
FINDS = {
    "exclusion without a server": ("exclusion", ["two_processes"], "--faults none --leases 0"),
    "a crash": ("recovery", ["crash_holding", "crash_mid_acquire"], "--faults crash --leases 1"),
    "long work": ("exclusion", ["work_outlives_lease"], "--faults none --leases 1 --assume prompt-wire"),
    "a stop": ("exclusion", ["stop_the_world"], "--faults stop --leases 1 --assume prompt-wire"),
    "a late release": ("foreign", ["expired_delete", "delayed_delete"], "--faults none --leases 1"),
    "a stranger": ("foreign", ["stranger_releases"], "--faults stranger --leases 0"),
    "a clock": ("exclusion", ["client_clock_fast"],
                "--faults ahead --leases 1 --assume prompt-wire,work-fits-lease"),
    "a hung worker": ("recovery", ["hung_worker"], "--faults hang --leases 1 --assume prompt-wire"),
    "a nested call": ("entry", ["nested_call"], "--faults none --leases 0 --nested 1"),
    "a restart": ("exclusion", ["restart_empty"], "--faults restart --leases 0 --assume prompt-wire,work-fits-lease"),
    "a lost answer": ("recovery", ["lost_grant_answer", "crash_mid_acquire"],
                      "--faults lose-answer --leases 1 --assume prompt-wire,work-fits-lease"),
}
# Nobody's lock can be changed where every process has its own.
NO_SERVER = {("a late release", "stage0"), ("a stranger", "stage0")}
# The detours, too: once with a fault, and once with a nested call.
OF_DETOURS = {"a crash", "a nested call"}
VERDICTS = expected()
CELLS = [(story, lock) for story in FINDS for lock in dict.fromkeys(lock for _, lock in VERDICTS)
         if (lock.startswith("stage") or (story in OF_DETOURS and "redlock" not in lock))
         and (story, lock) not in NO_SERVER]


@pytest.mark.parametrize("story, lock", CELLS)
def test_it_finds_what_the_matrix_knows_and_nothing_else(story, lock):
    name, races, bounds = FINDS[story]
    document = explore("--stage", lock, *([] if "--nested" in bounds else [ONE_SEARCH]), bounds)
    assert document["end"] == "empty"
    known = any(VERDICTS[race, lock] == "broken" for race in races)
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
    assert "loser" in lost(explore("--stage 3 --clients 3", ONE_CRASH))
    assert "loser" not in lost(explore("--stage 3", ONE_CRASH))
    assert "loser" not in lost(explore("--stage 4 --clients 3", ONE_CRASH))


@pytest.mark.parametrize("stage, clean", [
    ("6", "loser"),      # its watchdog renews while a nested call is told busy
    ("7", "exclusion"),  # who is in the middle of a nested call is asked after it
])
def test_what_a_nested_call_does_not_lose(stage, clean):
    assert clean not in lost(explore("--stage", stage, "--nested 1 --faults none --leases 1 --depth 10"))


@pytest.mark.parametrize("stage", "12345")
def test_a_schedule_that_it_finds_is_lost_when_it_is_replayed(stage):
    found = [loss for loss in explore("--stage", stage, "--nested 1")["properties"].values() if loss["lost"]]
    assert found and all(again(loss) for loss in found)


# --- what "clean" needs -------------------------------------------------------

@pytest.mark.parametrize("options, untried", [
    # What is left out, and what is then not tried.
    ("--nested 0", "entry count"),
    ("--clients 1", "exclusion foreign resource"),  # a loser: its own command, that came late
    ("--faults none", "exclusion recovery bounded"),
    ("--faults none --assume no-stops,no-crashes", ""),
    ("--leases 0", "exclusion kept told resource"),
    ("--nested 0 --faults none --leases 0",
     "exclusion recovery entry foreign count kept told bounded resource"),
])
def test_what_the_bounds_leave_out_is_not_clean(options, untried):
    """Stage 7 loses exclusion to a stop, resource to a slow write, and nothing else that is tried here."""
    found = answers("--stage 7", options)
    assert {name for name, (answer, _) in found.items() if answer == "not tried"} == set(untried.split())
    assert all((missing is not None) == (answer == "not tried") for answer, missing in found.values())
    said = run(EXPLORE, *words(["--stage 7 --quiet", options]))
    for name, (answer, missing) in found.items():
        assert re.search(rf"^  {name} +{'LOST in' if answer == 'lost' else answer} ", said.out, re.M)
        assert not missing or f"{name} is not tried: {missing}." in said.flat


@pytest.mark.parametrize("stage, losses, untried", [
    ("1", "recovery entry foreign count told bounded", "kept resource"),  # its holder never loses it
    ("2", "exclusion recovery entry foreign count told bounded resource", "kept"),
    ("3", "exclusion entry foreign count told resource", "kept"),
    ("4", "exclusion entry foreign count told resource", "kept"),
    ("5", "exclusion entry resource", "kept"),
    ("6", "exclusion entry resource", ""),
    ("7", "exclusion resource", ""),
])
def test_a_stage_is_clean_by_default_of_what_the_matrix_says_it_holds(stage, losses, untried):
    """And from stage 1 on nothing is left untried, but for locks that never renew."""
    found = answers("--stage", stage)
    for answer, names in (("lost", losses), ("not tried", untried)):
        assert {name for name in found if found[name][0] == answer} == set(names.split())
