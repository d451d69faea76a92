"""What a guest can be, and what its answers mean. The guests here are a few lines
of Python each, and hold no lock."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from lockstep import ROOT, heard, run
from world import executable

REPLAY = ROOT / "scenarios/replay"


def played(race, command, *options):
    return run(ROOT / "scenarios" / race, "--virtual", "--client", command, *options)


@pytest.mark.parametrize("held, verdict", [("lost", "HOLDS"), ("ok", "BROKEN"),
                                           ("unknown it did not answer", "BROKEN"),
                                           ("error refused", "BROKEN")])
def test_only_lost_is_knowing(guest, held, verdict):
    """The same for the judge of who is inside and of who must know."""
    answers = {"enter": "ok", "leave": "ok", "held": held}
    command = guest(f"""
answers = {answers}
def answer(word):
    if word == "enter":
        call("SET", "lock", os.environ["REDIS_URL"][-6:])
    return answers[word]
""")
    assert played("loss_untold", command).verdict == verdict
    assert played("cut_off_holder", command).verdict == verdict


def test_a_function_can_change_the_lock(guest):
    """What FCALL does is not in its flags, so it is what a story holds back."""
    command = guest("""
def answer(word):
    if word == "leave":
        call("GET", "lock")
        call("FCALL", "release", "1", "lock")
    return "ok"
""")
    assert "FCALL release 1 lock <held>" in played("delayed_delete", command).out


# It ends its process when it cannot renew its lock.
QUITS = """
import threading
def renew():
    try:
        call("SET", "lock", "A", "XX", "PX", "30000")
    except OSError:
        os._exit(3)
    threading.Timer(20, renew).start()
def answer(word):
    if word == "enter":
        if "OK" not in call("SET", "lock", os.environ["LOCK_KEY"], "NX", "PX", "30000"):
            return "busy"
        threading.Timer(20, renew).start()
    return "ok"
"""


def test_a_client_that_ends_its_own_process_is_not_inside(scratch, guest):
    command = guest(QUITS)
    finished = played("cut_off_holder", command)
    assert finished.verdict == "HOLDS" and re.search(r"^20\.000 .*\n +ends its process$", finished.out, re.M), finished
    events = played("cut_off_holder", command, "--format", "json", "--drawn").document["events"]
    assert [event["says"] for event in events if event["event"] == "quit"] == ["A ends its own process (exited with 3)."]
    assert again(finished.out)[0].verdict == "HOLDS"
    opening = 'struct client *b = race_client(race, "B");'
    for story, said in (("enter(a); cut_off(a); advance(race, LEASE); ask(a); leave(a); must_know_of_loss(a); must_hear_lost(a); "
                         "must_believe(a); must_still_hold(a); stop(a); resume(a); set_clock_ahead(a, HOUR); reconnect(a); enter(b);",
                         "HOLDS\n"),
                        ("enter(a); cut_off(a); advance(race, LEASE + SECOND); enter(b); enter(a);", "CANNOT HAPPEN: A has ended its own process."),
                        ("enter(a); cut_off(a); advance(race, LEASE - SECOND); leave(a); must_enter(b, \"then\");",
                         "CANNOT HAPPEN: A has ended its own process."),
                        ("enter(a); cut_off(a); advance(race, LEASE + SECOND); must_not_enter(b, \"then\");",
                         "CANNOT HAPPEN: A has ended its own process.")):
        finished = run(scratch.race(story, opening=opening), "--virtual", "--client", command)
        assert f"\n{said}" in finished.out, finished


@pytest.mark.parametrize("end", ["os._exit(0)", "os.close(1)", "threading.Timer(20, os._exit, [0]).start()"])
def test_one_that_ends_for_no_reason_is_not_judged(guest, end):
    """Nothing has happened to it that could make it leave, or it lives on in silence."""
    command = guest(f"""
import threading
def answer(word):
    call("SET", "lock", os.environ["LOCK_KEY"])
    print("ok", flush=True)
    {end}
    return sys.stdin.read()
""")
    finished = played("two_processes" if "Timer" not in end else "work_outlives_lease", command)
    assert finished.code == 2 and "(without being asked anything)" in finished.err, finished


# --- replaying ---------------------------------------------------------------

def again(out):
    """What the last lines of traces do, typed into a shell, without the titles."""
    commands = re.findall(r"^Again: (.*)$", out, re.M)
    assert commands, out
    return [run("sh", "-c", command) for command in commands]


def rows(trace):
    """Without what only a race can say."""
    return re.sub(r"^(--|Stage) .*\n", "", trace[trace.index("time  lock"):], flags=re.M)


ITS_COMMAND = """env WORDS='it is "$HOME" \\n' build/clients/stage4_set_nx_ex"""


def test_a_guest_s_trace_ends_with_the_line_that_replays_it():
    """Also when its command has quotes in it, and when a lock stands elsewhere."""
    for options in ([], ["--key", "it's"]):
        told = played("expired_delete", ITS_COMMAND, *options)
        replayed, = again(told.out)
        assert replayed.code == told.code == 1, replayed
        assert rows(replayed.out) == rows(told.out)
    told = run(ROOT / "scenarios/expired_delete", "--stage", "4", "--key", "it's")
    replayed, = again(told.out)
    assert rows(replayed.out) == rows(told.out)


def test_the_second_lock_stands_beside_the_first():
    """Where a library puts something before every name, too."""
    told = run(ROOT / "scenarios/half_of_two_locks", "--stage", "4", "--key", "mutex:lock")
    assert re.findall(r"SET (\S+)", told.out.partition("\nHOLDS")[0]) == ["mutex:lock", "mutex:lock", "mutex:lock2"], told
    assert "\nHOLDS\n" in told.out
    replayed, = again(told.out)
    assert rows(replayed.out) == rows(told.out)


def test_in_real_time_there_is_no_such_line():
    finished = run(ROOT / "scenarios/two_processes", "--client", ITS_COMMAND)
    assert "Again:" not in finished.out and "HOLDS" in finished.out, finished


def test_in_real_time_the_head_says_the_true_lease():
    told = run(ROOT / "scenarios/two_processes", "--real", "--lease", "2", "--stage", "4")
    assert told.out.splitlines()[0].endswith(", lease 2 s") and "PX 2000" in told.out or " EX 2" in told.out, told



def test_what_a_search_finds_in_a_guest_is_replayed():
    options = ["--faults", "none", "--leases", "1", "--client", ITS_COMMAND]
    told = run(ROOT / "scenarios/explore", *options)
    found = run(ROOT / "scenarios/explore", "--format", "json", *options).document
    schedules = {name: loss["schedule"] for name, loss in found["properties"].items() if loss["lost"]}
    assert set(schedules) == {"exclusion", "entry", "foreign", "told", "resource"}
    replayed = again(told.out)
    assert len(replayed) == len(schedules)
    for finished, schedule in zip(replayed, schedules.values(), strict=True):
        assert finished.code == 1 and rows(finished.out) in told.out, finished
        assert finished.out == run(REPLAY, "--client", ITS_COMMAND, schedule).out


def test_a_guest_s_game_is_replayed():
    said = run(ROOT / "scenarios/play", "--client", ITS_COMMAND, input="1\n1\nq\n")
    replayed, = again(said.out)
    assert replayed.out.splitlines()[-1] == said.out.splitlines()[-1]


def test_a_guest_s_schedule_is_shortened():
    finished = run(REPLAY, "--shorten", "--client", "build/clients/stage4_set_nx_ex",
                   "v1 stage4 A:enter A>< C:enter C>< t+31 B:enter B><")
    assert finished.out.endswith("'v1 client A:enter A>< t+31 B:enter B>< A:held B:held'\n"), finished


# --- leases ------------------------------------------------------------------

# It says what it was told, when it enters.
PARROT = "def answer(word): return f'error was told {line.strip()}'\n"


def knowing_leases(guest):
    command = guest(PARROT)
    path = Path(command.split()[1])
    path.write_text(path.read_text().replace('"ready"', '"ready enter-for"'))
    return command


ENTER_FOR = """world_do(race->world, (struct choice){{.kind = CHOOSE_ASK, .client = b->number,
             .operation = OPERATION_ENTER, .ns = {ns}, .lock = {lock}, .thread = {thread}}});"""


@pytest.mark.parametrize("ns, lock, thread, told", [
    ("SECOND", 0, 0, "enter-for 1000"), ("SECOND / 2", 1, 0, "enter-for 500 lock2"),
    ("HOUR", 0, 2, "enter-for 3600000 @2"), ("2 * SECOND", 1, 3, "enter-for 2000 lock2 @3")])
def test_a_guest_that_knows_leases_is_told_them(scratch, guest, ns, lock, thread, told):
    race = scratch.race(ENTER_FOR.format(ns=ns, lock=lock, thread=thread), includes=["director.h"],
                        opening='struct client *b = race_client_of_two(race, "B");')
    finished = run(race, "--virtual", "--client", knowing_leases(guest))
    assert f"error: was told {told}\n" in finished.out, finished


def test_in_real_time_they_are_as_much_shorter_as_the_lease(scratch, guest):
    """It is a second there, and not thirty."""
    finished = run(scratch.race("enter_for(a, 3 * SECOND);"), "--client", knowing_leases(guest))
    assert "error: was told enter-for 100\n" in finished.out, finished


def test_a_guest_is_opened_with_another_lease_only_if_it_knows_the_word(scratch, guest):
    """To know "reopen" is not enough: these are two words."""
    race = scratch.race("reopen_for(a, 3 * SECOND);")
    parrot = guest(PARROT)
    path = Path(parrot.split()[1])
    for knows, said in [("reopen", "cannot: it has not said that it knows reopen-for\n"),
                        ("reopen-for", "error: was told reopen-for 3000\n")]:
        path.write_text(re.sub('"ready[^"]*"', f'"ready {knows}"', path.read_text()))
        assert said in run(race, "--virtual", "--client", parrot).out


def test_a_guest_that_does_not_is_not_told(scratch, guest):
    """It would have to know the word to say that it cannot."""
    race = scratch.race("enter_for(a, SECOND); note(race, \"not reached\");")
    finished = run(race, "--virtual", "--client", guest(PARROT))
    assert "cannot: it has not said that it knows enter-for\n" in finished.out, finished
    assert "CANNOT HAPPEN: A has no such operation." in finished.out
    assert "not reached" not in finished.out


# --- what a guest is ---------------------------------------------------------

def test_each_machine_stands_in_another_time_zone(scratch, guest):
    """A deadline in local time means another instant elsewhere."""
    where = "import time\ndef answer(word): return f'error it is {time.strftime(\"%H:%M\")} here'\n"
    finished = run(scratch.race("struct client *b = race_client(race, \"B\"); enter(a); enter(b); enter(a);"), "--virtual", "--client", guest(where))
    assert re.findall(r"error: it is (\S+) here", finished.out) == ["01:46", "10:46", "01:46"], finished


# It does not end when its input does.
STUBBORN = """
import atexit, signal
atexit.register(signal.pause)
def answer(word):
    return "ok"
"""


@pytest.fixture
def wrapped(tmp_path, guest):
    """A script that starts the guest and waits for it."""
    def make(script):
        return executable(tmp_path, f"{guest(script)}\nexit $?", "wrapper")

    return make


@pytest.mark.parametrize("command", ["FOO=1 {}", "cd / && {}", "no-such-program"])
def test_a_guest_is_one_simple_command(guest, command):
    finished = played("two_processes", command.format(guest(STUBBORN)))
    assert finished.code == 2
    assert ("client A exited with 127 (before it was ready): --client takes one simple command, such "
            "as 'env NAME=value python3 guest.py'\n") in finished.err


def test_a_guest_s_environment(guest):
    command = guest('import os\ndef answer(word): return "error has " + os.environ["FOO"]\n')
    assert "error: has 1\n" in played("two_processes", f"env FOO=1 {command}").out


def test_what_a_guest_has_started_ends_with_it(wrapped, temporary):
    assert played("crash_holding", wrapped(STUBBORN)).verdict == "INCONCLUSIVE"  # it holds nothing


def test_what_a_guest_has_started_stops_with_it(wrapped, scratch):
    race = scratch.race("""
        stop(a);
        actor_ask(&race->world->clients[0], &(struct choice){.kind = CHOOSE_ASK});
        for (int turns = 0; turns < 100; turns++)
            loop_turn(1000);
        advance(race, SECOND); resume(a);
    """, includes=["machine/loop.h", "director.h", "world/world_state.h"])
    finished = run(race, "--virtual", "--format", "json", "--client", wrapped(STUBBORN))
    told = [event["event"] for event in finished.document["events"]]
    assert told.index("continued") < told.index("result"), finished


def test_what_a_guest_has_started_ends_with_the_run(wrapped, temporary, tmp_path):
    asked = tmp_path / "asked"
    os.mkfifo(asked)
    command = wrapped(STUBBORN + f"    open({str(asked)!r}, 'w').write('x'); signal.pause()\n"
                      .replace("    open", "def answer(word):\n    open"))
    runner = subprocess.Popen([ROOT / "scenarios/two_processes", "--virtual", "--client", command,
                               "--machines", "one"]) # so that the pipe is the same one
    heard(asked, runner)
    runner.kill()
    runner.wait()


ALPHABETS = """
import base64, os, random, string
def answer(word):
    new = {token}
    return "ok" if word != "enter" or call("SET", "lock", new, "NX").startswith("+") else "busy"
"""


@pytest.mark.parametrize("token", [
    "os.urandom(16).hex()", "base64.b64encode(os.urandom(32)).decode()", "base64.urlsafe_b64encode(os.urandom(20)).decode()",
    "''.join(random.choices(string.ascii_letters + string.digits, k=20))"])
def test_a_token_has_a_name_in_the_trace(guest, token):
    """Whatever alphabet a library writes it in; and the same bytes on every run."""
    one, again = (run(ROOT / "scenarios/two_processes", "--virtual", "--client", guest(ALPHABETS.format(token=token)))
                  for _ in range(2))
    asked = re.findall(r"SET lock (\S+)", one.out.partition("\nHOLDS")[0])
    assert asked == ["A1", "B1"] and one.out == again.out, one


@pytest.mark.parametrize("word", ["orders-2026-11-27", "WORKER-4194304-3X", "aB3", "1000000030000000"])
def test_a_word_that_is_no_token_stands_as_it_is(guest, word):
    said = run(ROOT / "scenarios/two_processes", "--virtual", "--client", guest(ALPHABETS.format(token=repr(word))))
    assert f"SET lock {word}" in said.out, said
