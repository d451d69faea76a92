"""Kept, told, bounded (docs/judge.md): which runs lose them, and which do not."""

import re

import pytest

from lockstep import run

A_IS_IN = "A:enter A><"


def verdict(schedule, *options):
    finished = run("./scenarios/replay", f"v1 {schedule}", *options)
    return re.search(r"^(HOLDS$|[A-Z ]+: .*$)", finished.out, re.M)[1], finished


# --- told --------------------------------------------------------------------

LIES = 'releases, is told "ok", and has released no lock of its own.'


# A has got in with a command of its own; what it says to the rest of the schedule.
SAYS = """
said = {"leave": "%s"}
def answer(word):
    if word == "enter":
        call("SET", "lock", "A")
        return "ok"
    %s
    return said.get(word, "ok")
"""
DELETES = 'call("DEL", "lock")'
SCRIPT = """[call("EVALSHA", "0" * 40, "1", "lock"), call("EVAL", "return redis.call('DEL', KEYS[1])", "1", "lock")]"""
PARTLY = ('[call(*words.split()) for words in ("MULTI", "DEL lock", "LPUSH lock x", "SET lock y", "LPUSH lock z", "EXEC")]')


@pytest.mark.parametrize("says, does, schedule, said", [
    ("unknown no answer", DELETES, "A:leave A><",
     'BROKEN: A releases, and says "unknown", though the server has answered all that it asked.'),
    ("error refused", DELETES, "A:leave A><",
     'BROKEN: A releases, and says "error", though the server has refused nothing.'),
    ("busy", DELETES, "A:leave A><", 'BROKEN: A releases, and says "busy", which says nothing about a release.'),
    ("lost", DELETES, "A:leave A><", 'BROKEN: A releases, is told "lost", and it had its lock.'),
    # It has sent nothing: nothing can be said.
    ("error cannot connect", "", "A:leave", "INCONCLUSIVE: A hears an error that the story has not caused."),
    ("error cannot connect", "", "A:cut-off A:leave", "HOLDS"),
    # The script was not known, and was sent in full then.
    ("unknown no answer", SCRIPT, "A:leave A>< A><",
     'BROKEN: A releases, and says "unknown", though the server has answered all that it asked.'),
    ("error refused", SCRIPT, "A:leave A>< A><",
     "INCONCLUSIVE: A hears an error that the story has not caused."),
    # One command of a transaction was refused.
    ("error refused", PARTLY, "A:leave A>< A>< A>< A>< A>< A><",
     "INCONCLUSIVE: A hears an error that the story has not caused."),
])
def test_an_answer_means_what_the_server_said(guest, says, does, schedule, said):
    command = guest(SAYS % (says, does))
    found, finished = verdict(f"guest A:enter A>< {schedule}", "--client", command)
    assert found == said, finished.out


# It counts with its lease from when it asked for it, and a little less.
CAREFUL = """
import time
begun = []
def answer(word):
    if word == "enter":
        begun.append(time.monotonic())
        call("SET", "lock", "A", "PX", "30000")
        return "ok"
    if word == "leave":
        call("DEL", "lock")
    return "ok" if time.monotonic() < begun[-1] + 30 - %s else "lost"
"""
AT_ONCE = 'BROKEN: A is told "ok", and knows at the same instant that it does not have the lock.'


# "error" means that nothing has happened.
HALF = """
def answer(word):
    if word == "enter":
        call("SET", "lock", "A")
        call("SET", "more", "A")
    return "error refused"
"""


# It takes the lock once, and then says "ok" to everything.
ONCE = """
import time
begun = []
def answer(word):
    if word == "enter" and not begun:
        begun.append(time.monotonic())
        call("SET", "lock", "A", "PX", "30000")
    return "lost" if word == "held" and time.monotonic() > begun[0] + 30 else "ok"
"""


@pytest.mark.parametrize("schedule, said", [
    ("t+31 A:held A:enter A:must-be-inside", "BROKEN: A is told that it is inside once more, and does not have the lock."),
    ("A:work-done t+31 A:enter A:must-be-inside",
     "BROKEN: A is told that it is inside once more, and does not have the lock."),
    # Its hold stands: nobody needs to be asked.
    ("A:work-done A:enter A:must-be-inside", "HOLDS"),
])
def test_who_is_inside_once_more_has_a_lock(guest, schedule, said):
    found, finished = verdict(f"guest {A_IS_IN} {schedule}", "--client", guest(ONCE))
    assert found == said, finished.out


def test_an_error_after_a_grant_is_a_lie(guest):
    found, finished = verdict("guest A:enter A>< A:refuse A<", "--client", guest(HALF))
    assert found == 'BROKEN: A tries to get in, is told "error", and the lock is its own.', finished.out


@pytest.mark.parametrize("margin_s, schedule, said", [
    (0, "A:enter A> t+31 A< A:held", AT_ONCE),
    (0, "A:enter A> t+31 A< t+1 A:held", "HOLDS"),
    (0, "A:enter A> t+31 A< A:ahead+1 A:held", "HOLDS"),
    (0, "A:enter A> t+29 A< A:ahead+2 A:held", "HOLDS"),
    # Two seconds of the lease are left, and that is too little for it.
    (3, "A:enter A> t+28 A< A:held", "HOLDS"),
    # Its release has ended the lock, and the lease would be over when it hears of that.
    (0, f"{A_IS_IN} A:leave A> t+31 B:enter B>< A<", "HOLDS"),
    (30, "t+31 A:enter A>< A:leave A><", 'BROKEN: A releases, is told "lost", and it had its lock.'),
    (20, f"{A_IS_IN} A:leave A> t+15 A<", 'BROKEN: A releases, is told "lost", and it had its lock.'),
])
def test_what_a_client_may_say_of_a_lease_that_has_passed(guest, margin_s, schedule, said):
    found, finished = verdict(f"guest {schedule}", "--client", guest(CAREFUL % margin_s))
    assert found == said, finished.out


def test_a_deadline_that_the_server_does_not_know_has_a_margin_too(guest):
    careful = guest((CAREFUL % 3).replace(', "PX", "30000"', ""))
    for schedule in (f"{A_IS_IN} t+25 A:leave A> t+3 A<", f"{A_IS_IN} A:leave A:ahead+40 A><"):
        assert verdict(f"guest {schedule}", "--client", careful)[0] == "HOLDS"


def test_a_stranger_s_release_is_no_release(guest):
    command = guest("""
def answer(word):
    if word == "enter":
        call("SET", "lock", "A")
    return "ok"
""")
    told, finished = verdict("guest A:leave A:leave", "--client", command)
    assert told == f"BROKEN: A {LIES}", finished.out
    told, finished = verdict("guest A:enter A>< A:leave", "--client", command)
    assert told == 'BROKEN: A releases, is told "ok", and its lock is still there.', finished.out


def test_lost_is_no_answer_while_the_lock_stands(guest):
    command = guest("""
def answer(word):
    if word == "enter":
        call("SET", "lock", "A")
    return "ok" if word == "enter" else "lost"
""")
    told, finished = verdict("guest A:enter A>< A:leave", "--client", command)
    assert told == 'BROKEN: A releases, is told "lost", and its lock is still there.', finished.out


def test_what_is_lost_stays_lost(guest):
    command = guest("""
said = {"held": ["lost", "ok"]}
def answer(word):
    if word == "enter":
        call("SET", "lock", "A")
    return said.get(word, ["ok"]).pop(0) if word == "held" else "ok"
""")
    told, finished = verdict("guest A:enter A>< t+28 A:held A:held", "--client", command)
    assert told == ("BROKEN: A was told that its lock is lost, and says that it still holds it."), \
        finished.out


IN_AGAIN = f'{A_IS_IN} A:enter server:does"DEL lock"'


@pytest.mark.parametrize("schedule, answers, holds", [
    # A nested attempt, or an inner release: the outer function goes on, and asks.
    (f"{IN_AGAIN} A:enter A:held", "ok ok lost ok", False),
    (f"{IN_AGAIN} A:leave A:held", "ok ok lost ok", False),
    # After the last release nobody needs to ask.
    (f"{IN_AGAIN} A:leave A:leave A:held", "ok ok lost lost ok", True),
    # Whoever is not inside loses nothing; whoever gets in again has a lock again.
    (f"{A_IS_IN} A:held", "lost ok", True),
    (f"{IN_AGAIN} A:enter A:enter A:held", "ok ok lost ok ok", True),
])
def test_a_loss_is_true_for_the_outer_function_too(guest, schedule, answers, holds):
    command = guest(f"""
answers = {answers.split()}
entered = []
def answer(word):
    if word == "enter" and not entered:
        entered.append(call("SET", "lock", "A"))
    return answers.pop(0)
""")
    finished = run("./scenarios/replay", f"v1 guest {schedule}", "--client", command)
    lie = "BROKEN: A was told that its lock is lost, and says that it still holds it."
    assert (lie in finished.out) != holds, finished.out


# --- leak --------------------------------------------------------------------

# It listens on a connection of its own, as a client does that waits for a release.
LISTENS = """
import os, socket
kept = []
def answer(word):
    if word == "enter":
        call("SET", "lock", "A")
    if word == "leave":
        listener = socket.socket(socket.AF_UNIX)
        listener.connect(os.environ["REDIS_URL"].removeprefix("unix://"))
        listener.sendall(b"*3\\r\\n$5\\r\\nBLPOP\\r\\n$6\\r\\nsignal\\r\\n$1\\r\\n0\\r\\n")
        call("DEL", "lock")
        %s
    return "ok"
"""


@pytest.mark.parametrize("end, said", [
    ("listener.close()", "HOLDS"),
    ("kept.append(listener)", "BROKEN: A has 2 connections open, and had 1 when they were counted."),
])
def test_only_what_the_client_keeps_open_counts(guest, end, said):
    """Of the other the server still has a command, which it keeps."""
    found, finished = verdict("guest A:enter A>< A:connections-are-counted A:leave A2> A>< A:must-have-no-more",
                              "--client", guest(LISTENS % end))
    assert found == said, finished.out


# --- kept --------------------------------------------------------------------

@pytest.mark.parametrize("schedule, said", [
    (f"{A_IS_IN} t+10 A:wake A2>< t+1.001",
     "BROKEN: A no longer has its lock, though it is inside and was never late."),
    # A is hindered: its timer is overdue, its command on its way, it is stopped …
    (f"{A_IS_IN} t+11 A:wake A2>< t+2", "HOLDS"),
    (f"{A_IS_IN} t+10 A:wake t+1 A2>< t+2", "HOLDS"),
    (f"{A_IS_IN} A:stop A:continue t+10 A:wake A2>< t+2", "HOLDS"),
    (f"{A_IS_IN} A:ahead+40 t+10 A:wake A2>< t+2", "HOLDS"),
    (f"{A_IS_IN} t+10 A:wake A2>< A:cut-off t+2", "HOLDS"),
    # … or was late already when it got in, or has begun to leave, or an operator did it.
    ("A:enter A> t+1 A< t+10 A:wake A2>< t+2", "HOLDS"),
    (f"{A_IS_IN} t+10 A:wake A2>< A:leave t+2", "HOLDS"),
    (f'{A_IS_IN} t+10 A:wake A2>< server:does"DEL lock" t+2', "HOLDS"),
])
def test_a_healthy_holder_keeps_its_lock(scratch, schedule, said):
    """A watchdog that renews for a second."""
    scratch.mutant("stage6_watchdog", "lock->key, lock->token, lock->lease_ms);",
                   "lock->key, lock->token, 1000);", "renew_lease")
    finished = run(scratch.take("replay"), f"v1 stage1 strict {schedule}")
    assert f"\n{said}\n" in finished.out, finished


# --- a search ----------------------------------------------------------------

def searched(scratch, *options):
    said = run(scratch.take("explore"), "--stage", "1", "--nested", "0", "--rounds", "1",
               "--format", "json", *options)
    return said.document["properties"]


@pytest.mark.parametrize("lock, line, instead, function, lost", [
    ("stage6_watchdog", "lock->key, lock->token, lock->lease_ms);", "lock->key, lock->token, 1000);",
     "renew_lease", "kept"),
    ("stage5_token_lua", "return reply.integer == 1 ? LOCK_OK : LOCK_LOST;", "return LOCK_OK;",
     "lock_release", "told"),
    ("stage4_set_nx_ex", "lock->lease_s);", "2 * lock->lease_s);", "lock_acquire", "bounded"),
])
def test_a_search_finds_what_is_not_kept(scratch, lock, line, instead, function, lost):
    """A renewal for a second; a release that is always "ok"; twice the lease."""
    scratch.mutant(lock, line, instead, function)
    found = searched(scratch, "--faults", "crash")
    assert found[lost]["answer"] == "lost", found
    finished = run(scratch.take("replay"), found[lost]["schedule"])
    assert finished.verdict == "BROKEN", finished
