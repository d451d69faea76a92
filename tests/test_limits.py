"""Progress: a client that comes to no end ends its run, and has lost that property."""

import re
import sys

import pytest

from lockstep import MATRIX, ROOT, run

PERIOD = "(lease_ms + 2) / 3"
REST = ". A retry or a watchdog has to wait between two commands."
STEPS = "BROKEN: A comes to no end: it takes 2000 steps within a second."


def in_one_line(text):
    return " ".join(text.split())


def check_replay(finished):
    """The replay has the same rows, and the same end. It has no notes."""
    again = run("sh", "-c", re.search(r"^Again: (.*)$", finished.out, re.M)[1], cwd=ROOT)
    rows = [line for line in finished.out.splitlines() if not line.startswith("-- ")]
    assert again.out.splitlines()[3:] == rows[3:], again


@pytest.mark.parametrize("every_ms, race", [("0", "two_processes"), ("1", "work_outlives_lease")])
def test_a_watchdog_without_a_pause(scratch, every_ms, race):
    scratch.mutant("stage6_watchdog", PERIOD, every_ms, "lock_open")
    finished = run(scratch.take(race), "--stage", "1")
    assert (finished.code, finished.err) == (1, ""), finished
    assert STEPS in finished.out and in_one_line(finished.out).count(REST) == 1
    assert len(finished.out.splitlines()) < 40, finished


# Asks the server again and again: for a lock that somebody else has, before it is ready.
SPINS = """
def answer(word):
    while True:
        call("GET", "lock")
"""


@pytest.mark.parametrize("race", ["two_processes", "delayed_delete", "check_then_delete"])
def test_a_client_that_spins(guest, race):
    finished = run(ROOT / "scenarios" / race, "--virtual", "--client", guest(SPINS))
    assert (finished.code, finished.err) == (1, ""), finished
    assert STEPS in finished.out
    assert f'Lost because A has sent "GET lock" 1000 times, last at 0.000{REST}' in in_one_line(finished.out)
    assert "   … 998 times more like this, the last at 0.000\n" in finished.out
    assert " A:enter (A><)*999 A>'\n" in finished.out
    check_replay(finished)


@pytest.mark.parametrize("time", ["--virtual", "--real"])
def test_a_client_that_computes_for_ever(guest, time):
    command = guest("def answer(word):\n    while True: pass\n")
    finished = run(ROOT / "scenarios/two_processes", time, "--client", command)
    assert (finished.code, finished.err) == (1, ""), finished
    assert ("BROKEN: A comes to no end: it computes, and waits for nothing.\n"
            "Lost because A waits for no message and for no timer.\n") in finished.out


def test_a_client_that_never_gets_ready(scratch):
    scratch.client("stage1_loads", "while True: wire(b'*1\\r\\n$4\\r\\nPING\\r\\n')")
    finished = run(scratch.program, "--stage", "1")
    assert finished.code == 1
    assert ("BROKEN: A comes to no end: it sends 1000 commands before it is ready.\n"
            "Lost because A is at work before it is asked for anything.\n") in finished.out


def test_a_table_names_the_property(guest):
    finished = run(MATRIX, "--virtual", "--format", "tsv", "--client", guest(SPINS), "two_processes")
    assert finished.out == "race\tclient\ntwo_processes\tbroken progress\n", finished
    assert finished.err == ""


# A lock whose helper process renews it; the helper has a connection of its own.
HELPER = """
import os, select, signal, socket, sys
lease = os.environ["LOCK_LEASE_MS"]
begin, begun = os.pipe()
if {fork}:
    sys.stdin.close()
    mine = socket.socket(socket.AF_UNIX)
    mine.connect(os.environ["REDIS_URL"].removeprefix("unix://"))
    os.read(begin, 1)
    while True:
        select.select([], [], [], {every_s})
        mine.sendall(request("PEXPIRE", "lock", lease))
        mine.recv(100)
def answer(word):
    if word == "enter":
        if "OK" not in call("SET", "lock", "1", "NX", "PX", lease):
            return "busy"
        os.write(begun, b"x")
        {then}
    elif word == "leave":
        call("DEL", "lock")
    elif word == "write":
        call("SET", "resource", "1")
    return "ok"
"""


def helper(guest, every_s, then="pass", fork="os.fork() == 0"):
    """GUEST ends the script and defines request(): so the helper's part comes after it."""
    path = guest("").split()[1]
    with open(path) as script:
        whole = script.read()
    functions, loop = whole.split("server = connect()")
    with open(path, "w") as script:
        script.write(functions + HELPER.format(every_s=every_s, then=then, fork=fork) +
                     "server = connect()" + loop)
    return f"{sys.executable} {path}"


@pytest.mark.parametrize("every_s", [0.333, 0.02])
def test_a_helper_process_that_renews(guest, every_s):
    finished = run(ROOT / "scenarios/work_outlives_lease", "--client", helper(guest, every_s))
    assert finished.verdict in ("HOLDS", "INCONCLUSIVE"), finished
    assert finished.verdict == "HOLDS" or "this machine is too busy" in finished.out


def test_a_helper_process_that_never_pauses(guest):
    """How many commands it sends in real time depends on the machine: but the run ends."""
    finished = run(ROOT / "scenarios/work_outlives_lease", "--client", helper(guest, 0))
    assert finished.err == "", finished


def test_an_operation_that_never_ends_while_a_helper_renews(guest):
    command = helper(guest, 0.333, then="signal.pause()")
    finished = run(ROOT / "scenarios/work_outlives_lease", "--client", command)
    assert finished.err == "work_outlives_lease: client A is still busy with enter after 10 s\n", finished


@pytest.mark.parametrize("race, verdict", [("crash_holding", "HOLDS"), ("stop_the_world", "BROKEN")])
def test_a_helper_process_that_has_moved_away(guest, race, verdict):
    """It is killed and stopped with its guest, though it has a session of its own."""
    away = "os.fork() == 0 and (os.setsid() or os.fork() == 0 or os._exit(0))"
    finished = run(ROOT / "scenarios" / race, "--client", helper(guest, 0.1, fork=away))
    assert finished.verdict in (verdict, "INCONCLUSIVE"), finished
    assert finished.verdict == verdict or "this machine is too busy" in finished.out


@pytest.mark.parametrize("ms, times, said", [
    (300, 0, "goes on"), (950, 0, "goes on"), (300, 11, "goes on"),
    (10, 0, "is over"),    # it hangs
    (1000, 0, "is over"),  # it spins
    (300, 12, "is over"),
])
def test_a_wait_for_a_process_that_gets_a_small_part_of_a_core_goes_on(ms, times, said):
    """Its limit is a second, and it has had a core for so many milliseconds of it."""
    assert run("build/tests/patience", str(ms), str(times)).out.splitlines() == [
        said, str(times + (said == "goes on"))]
