"""Waiting for the lock: attempts with pauses, in a world and by hand; and how repetition is written."""

import pytest

from lockstep import EXPLORE, ROOT, run
from plain import client, server  # noqa: F401 (fixtures)

REPLAY = ROOT / "scenarios/replay"


def replay(schedule):
    finished = run(REPLAY, schedule)
    assert finished.err == "", finished
    return finished


# --- in a world --------------------------------------------------------------

BUSY = "v1 stage5 A:enter A>< B:wait+1.3 B><"


def test_who_waits_tries_ten_times_a_second():
    told = replay(f"{BUSY} t+0.1 B:wake B>< A:leave A>< t+0.1 B:wake B><").out
    assert "waits up to 1.300 s" in told
    assert told.count("SET lock B") == 3 and "OK, inside\n" in told


@pytest.mark.parametrize("schedule", [f"{BUSY} t+0.099 B:wake", f"{BUSY} t+0.1 B:wake B>< B:wake"])
def test_but_not_more_often(schedule):
    assert "CANNOT HAPPEN: step" in replay(schedule).out


def test_its_patience_ends_with_an_attempt():
    told = replay("v1 stage5 A:enter A>< B:wait+0.15 B>< t+0.1 B:wake B>< t+0.05 B:wake B><").out
    assert told.count("SET lock B") == 3 and told.count("nil, busy") == 1


def test_without_an_answer_it_does_not_go_on():
    told = replay(f"{BUSY} t+0.1 B:wake B:cut").out
    assert "unknown: connection lost before the answer" in told


# --- what repeats itself -----------------------------------------------------

ONE = "t+0.1 B:wake B>< C:wake C><"
BOTH = "v1 stage7 A:enter A>< B:wait+60 B>< C:wait+60 C><"


def test_many_equal_attempts_are_one_row_and_one_step():
    long, short = replay(f"{BOTH} " + " ".join([ONE] * 40)), replay(f"{BOTH} ({ONE})*40")
    assert long.out == short.out
    assert f"Again: ./scenarios/replay '{BOTH} ({ONE})*40'" in long.out
    assert "   … 39 times more like this, the last at 4.000\n" in long.out
    assert long.out.count("\n") < 30


def test_a_new_token_for_each_attempt_is_no_news():
    """It stands on some servers for a moment, a hundred times."""
    told = run(ROOT / "scenarios/statement_timeout", "--stage", "road_redlock").out
    assert "   … 99 times more like this, the last at 5.000\n" in told and told.count("\n") < 150


def test_few_stand_as_they_are():
    told = replay(f"{BOTH} ({ONE})*4").out
    assert "times more" not in told and f"{ONE} {ONE} {ONE} {ONE}'" in told


def test_what_changes_the_lock_is_never_hidden():
    """A renewal among equal attempts, and the attempt that gets in."""
    told = replay(f"v1 stage6 A:enter A>< B:wait+60 B>< (t+0.1 B:wake B><)*99 t+0.1 A:wake A2>< B:wake B>< "
                  "(t+0.1 B:wake B><)*9 A:leave A>< t+0.1 B:wake B><").out
    assert "EVALSHA renew" in told and "OK, inside" in told.split("EVALSHA release")[1]
    assert told.count("times more like this") == 2


def test_bytes_are_never_hidden():
    told = run(REPLAY, "--wire", f"{BOTH} ({ONE})*9").out
    assert "times more" not in told and told.count("   > ") == 1 + 2 * 10


# --- by hand -----------------------------------------------------------------

@pytest.fixture
def empty(server):
    server.command("FLUSHALL")


def test_who_waits_gets_in_after_the_release(empty, client):
    a, b = (client("stage5_token_lua", lease_ms=60000) for _ in "ab")
    assert a.say("enter") == "ok"
    b.tell("wait 60000")
    assert a.say("leave") == "ok"
    assert b.line("its wait") == "ok"


def test_who_has_waited_long_enough_says_busy(empty, client):
    a, b = (client("stage5_token_lua", lease_ms=60000) for _ in "ab")
    assert a.say("enter") == "ok"
    assert b.say("wait 1") == "busy"
    assert b.say("wait 0") == "busy"
    assert a.say("wait 0 lock @2") == "busy"


@pytest.mark.parametrize("rest, patience", [("", ""), (" lock", "lock"), (" -1", "-1"), (" 1.5", "1.5"),
                                            (" 86400001", "86400001")])
def test_a_wrong_patience_is_said(empty, client, rest, patience):
    a = client("stage7_reentrant")
    _, said = a.process.communicate(f"wait{rest}\n")
    assert a.process.returncode == 2
    assert said == (f"stage7_reentrant: the patience '{patience}' is not a number of milliseconds from 0 to "
                    "86400000\n")


# --- in a search -------------------------------------------------------------

BOUNDS = ("--wait", "60", "--depth", "12", "--faults", "none", "--format", "json")


def search(lock):
    return run(EXPLORE, "--stage", lock, *BOUNDS, "-q").document


def test_a_search_finds_the_lost_wakeup_by_itself():
    found = next(loss for name, loss in losses(search("detour_subscribe_once")) if name == "wakeup")
    told = replay(found["schedule"].replace("v1 any", "v1 detour_subscribe_once"))
    assert "BROKEN: B still waits, though the lock has been free for a second." in told.out
    assert "SUBSCRIBE lock" in told.out


def test_and_not_in_stage_8():
    assert all("schedule" not in loss for _, loss in losses(search("8")))


# One who waits can be killed, and nothing else is late.
A_WAITER_DIES = ("--wait", "60", "--clients", "3", "--faults", "crash", "--assume", "prompt-wire", "--depth", "16",
                 "--nested", "0", "--halfway", "0", "--rounds", "1", "--format", "json")


def wakeup_where_a_waiter_dies(lock):
    document = run(EXPLORE, "--stage", lock, *A_WAITER_DIES).document
    assert "the lock became free while a client that waits slept" in document["seen"]
    return document["properties"]["wakeup"]


def test_a_search_finds_by_itself_that_the_chosen_waiter_dies():
    found = wakeup_where_a_waiter_dies("detour_blpop")
    assert (found["lost"], found["steps"]) == (True, 16)
    told = replay(found["schedule"].replace("v1 any", "v1 detour_blpop")).out
    assert "BROKEN: C still waits, though the lock has been free for a second." in told
    assert "The server told B, who was killed at 0.000, and nobody else; C still sleeps." in " ".join(told.split())


def test_and_in_stage_8_the_others_are_woken_too():
    assert not wakeup_where_a_waiter_dies("8")["lost"]


def test_what_is_remembered_of_a_server_that_keeps_requests_is_what_it_does():
    """A waiter can be cut off or killed, or be told that its time is up."""
    bounds = ("--stage", "detour_blpop", "--wait", "60", "--faults", "crash,cut", "--at-most", "1", "--depth", "9",
              "--nested", "0", "--halfway", "0", "--rounds", "1", "--format", "json")
    told, real = (run(EXPLORE, *bounds, *more).document for more in ([], ["--verify"]))
    for counted in ("positions", "transitions", "properties"):
        assert told[counted] == real[counted]


def losses(document):
    return document["properties"].items()


def test_without_waiting_there_is_no_such_property():
    assert "\n  wakeup" not in run(EXPLORE, "--stage", "8", "--depth", "3", "-q").out


def test_a_request_that_it_cannot_follow_is_said(guest):
    finished = run(EXPLORE, "-q", "--client", guest("""
def answer(word):
    return "ok" if call("BLMPOP", "0", "1", "list", "LEFT") else "busy"
"""))
    assert (finished.code, finished.err) == (
        2, "explore: A sends BLMPOP 0 1 list LEFT, which the server keeps: a search does not follow that\n")


@pytest.mark.parametrize("lock, more, said", [
    ("8", ["--faults", "restart"], "explore: --wait does not go with the fault restart: a search does not follow what "
                                   "a restart does to those who listen\n"),
    ("8", ["--wait", "3601"], "explore: '3601' does not go with --wait: say a number from 0 to 3600\n")])
def test_what_it_does_not_follow_is_said(lock, more, said):
    finished = run(EXPLORE, "--stage", lock, "--wait", "60", "--depth", "12", *more)
    assert (finished.code, finished.err) == (2, said)


# --- in a search -------------------------------------------------------------

@pytest.mark.parametrize("lock, steps", [("8", 0), ("9", 0), ("detour_subscribe_once", 11)])
def test_a_search_finds_who_sleeps_beside_a_free_lock(lock, steps):
    """Deep enough for a second message behind the first, and not to the end."""
    finished = run(ROOT / "scenarios/explore", "--stage", lock, "--wait", "60", "--faults", "none", "--nested", "0",
                   "--halfway", "0", "--rounds", "1", "--depth", "14", "--format", "json")
    wakeup = finished.document["properties"]["wakeup"]
    assert (wakeup["lost"], wakeup.get("steps", 0)) == (steps > 0, steps), finished
    assert finished.code == (1 if steps else 3)  # stopped at its depth
