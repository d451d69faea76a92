"""Waiting for the lock: attempts with pauses, in a world and by hand; and how repetition is written."""

import pytest

from lockstep import EXPLORE, ROOT, run
from plain import client, server

REPLAY = ROOT / "scenarios/replay"


def replay(schedule):
    finished = run(REPLAY, schedule)
    assert finished.err == "", finished
    return finished


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


def test_without_waiting_there_is_no_such_property():
    assert "\n  wakeup" not in run(EXPLORE, "--stage", "8", "--depth", "3", "-q").out


def test_a_request_that_it_cannot_follow_is_said(guest):
    finished = run(EXPLORE, "-q", "--client", guest("""
def answer(word):
    return "ok" if call("BLMPOP", "0", "1", "list", "LEFT") else "busy"
"""))
    assert (finished.code, finished.err) == (
        2, "explore: A sends BLMPOP 0 1 list LEFT, which the server keeps: a search does not follow that\n")
