"""What a watchdog and a count owe their owner, told verb by verb: stories that
are too small for a race of their own (tests/story.c)."""

import re

import pytest

from lockstep import ROOT, run

WATCHED = ["stage6_watchdog", "stage7_reentrant"]


def tell(lock, story):
    told = run(ROOT / "tests/story", "--stage", lock,
               input="".join(line.strip() + "\n" for line in story.strip().splitlines()))
    assert told.err == ""
    return told


def sent(told, command):
    """How many commands of that name are in the trace."""
    return len(re.findall(rf"EVALSHA {command} ", told.out))


@pytest.mark.parametrize("lock", WATCHED)
def test_a_deadline_is_counted_from_before_the_renewal_was_sent(lock):
    """Sent at 10, answered at 15: the server lets it go after 40, not after 45."""
    told = tell(lock, """
        enter A
        begin_renewal A
        run_command A
        advance 5
        finish A
        cut_off A
        advance 25
        ask A
        advance 1
        enter B""")
    assert "40.000" in told.out
    assert "knows that it is lost" in told.out, told
    assert told.verdict == "HOLDS", told


@pytest.mark.parametrize("lock", WATCHED)
def test_the_watchdog_stops_before_the_release_is_sent(lock):
    told = tell(lock, """
        enter A
        begin_leave A
        advance 20
        finish A
        advance 40""")
    assert "1, outside" in told.out, told
    assert sent(told, "renew") == 0, told
    assert told.verdict == "HOLDS", told


@pytest.mark.parametrize("lock, attempt", [("stage6_watchdog", "enter A"),
                                           ("stage7_reentrant", "enter_on_thread_2 A")])
def test_an_attempt_that_is_busy_leaves_the_watchdog_alone(lock, attempt):
    """A is in, and tries again: stage 6 knows no nested call, stage 7 no other thread."""
    told = tell(lock, f"""
        enter A
        {attempt}
        advance 40
        enter B
        ask A""")
    assert told.out.count(", busy") == 2, told
    assert "still holds it" in told.out, told
    assert told.verdict == "HOLDS", told


@pytest.mark.parametrize("lock", WATCHED)
def test_the_watchdog_does_not_wait_for_the_worker_s_answer(lock):
    """Its connection is its own: what the worker asks for can take its time."""
    told = tell(lock, """
        enter A
        begin_enter A
        advance 40
        enter B
        finish A
        ask A""")
    assert sent(told, "renew") == 4, told
    assert "still holds it" in told.out, told
    assert told.verdict == "HOLDS", told


def test_a_nested_call_does_not_revive_what_is_lost():
    """It was let in before the lock was gone, and hears of it after the watchdog has."""
    told = tell("stage7_reentrant", """
        enter A
        begin_enter A
        run_command A
        operate DEL KEY
        advance 10
        finish A
        ask A""")
    assert "inside again" in told.out, told
    assert "knows that it is lost" in told.out, told


def test_who_repeats_an_inner_release_is_still_inside():
    """Left once, however often it is said: for the judge A is in its outer call."""
    told = tell("stage7_reentrant", """
        enter A
        enter A
        begin_leave A
        run_command A
        lose_answer A
        leave A
        operate DEL KEY
        enter B""")
    assert "BROKEN: A and B are both inside." in told.out, told


def test_an_inner_release_is_repeated_until_it_is_answered():
    """It sets the same count again, whether it had run or not; the outer one is still to come."""
    for lost in ("run_command A\nlose_answer A", "lose_answer A"):
        told = tell("stage7_reentrant", f"""
            enter A
            enter A
            begin_leave A
            {lost}
            leave A
            enter B
            leave A
            enter B""")
        assert "unknown: connection lost before the answer" in told.out, told
        assert "1, still inside" in told.out, told
        assert "1, outside" in told.out, told
        assert told.out.count(", busy") == 1, told
        assert told.out.count("OK, inside\n") == 2, told
        assert told.verdict == "HOLDS", told


# --- a lease of its own ------------------------------------------------------

LEASED = "detour_reentrant_lease"


def test_the_holder_of_a_lease_that_was_cut_knows():
    told = tell(LEASED, """
        enter A
        enter_for_1 A
        ask A
        advance 1
        ask A
        advance 1
        enter B""")
    assert "still holds it" in told.out, told
    assert "knows that it is lost" in told.out, told
    assert told.verdict == "HOLDS", told


def test_it_knows_though_a_renewal_that_ran_before_is_answered_later():
    told = tell(LEASED, """
        enter A
        begin_renewal A
        run_command A
        enter_for_1 A
        finish A
        advance 2
        ask A
        enter B""")
    assert re.search("EVALSHA renew .*EVALSHA acquire 1 lock A1 2 1000.*1 <delivered>", told.out,
                     re.S), told
    assert "knows that it is lost" in told.out, told
    assert told.verdict == "HOLDS", told


def test_it_knows_though_it_never_heard_of_the_nested_lease():
    told = run(ROOT / "scenarios/replay", f"v1 {LEASED} A:enter A>< A:enter-for+1 A> A:cut t+2 A:held "
                                          "B:enter B><")
    assert "unknown: connection lost before the answer" in told.out, told
    assert "knows that it is lost" in told.out, told
    assert "OK, inside\n" in told.out.split("knows")[1], told
    assert told.verdict == "HOLDS", told


def test_an_inner_release_gives_the_whole_lease_back():
    told = tell(LEASED, """
        enter A
        enter_for_1 A
        leave A
        advance 9
        ask A
        enter B
        advance 31
        ask A
        enter B""")
    assert told.out.count("still holds it") == 2, told
    assert told.out.count(", busy") == 2, told
    assert told.verdict == "HOLDS", told


def test_a_lease_longer_than_a_tick_is_renewed():
    """The watchdog's tick begins anew with it, and its renewal gives the whole lease."""
    told = run(ROOT / "scenarios/replay", f"v1 {LEASED} A:enter A>< A:enter-for+11 A>< t+10 A:wake A2>< "
                                          "t+29 A:held B:enter B><")
    assert "still holds it" in told.out, told
    assert ", busy" in told.out, told


@pytest.mark.parametrize("inner", ["A:enter-for+20 A>", "A:enter-for+20 A>< A:leave A>"])
def test_an_answer_from_before_does_not_revive_what_is_lost(inner):
    """A was let in again, or out once, and hears of it after the watchdog has found nothing."""
    told = run(ROOT / "scenarios/replay", f"v1 {LEASED} A:enter A>< {inner} server:does\"DEL lock\" t+10 "
                                          "A:wake A2>< A< A:held")
    assert "knows that it is lost" in told.out, told
