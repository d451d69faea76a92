"""A machine that is suspended: one of its clocks stands still, and so do the waits on it."""

import sys

import pytest

from lockstep import run
from world import executable

# Holds until 20 seconds of CLOCK_MONOTONIC are over, which it waits for.
GUEST = f"""#!{sys.executable}
import select, sys, time
clocks = lambda: [round(time.clock_gettime(clock)) for clock in (time.CLOCK_MONOTONIC, time.CLOCK_BOOTTIME)]
began, over, end = clocks(), False, time.monotonic() + 20
print("ready", flush=True)
while True:
    if not select.select([sys.stdin], [], [], None if over else end - time.monotonic())[0]:
        over = True
        continue
    word = sys.stdin.readline().strip()
    if word == "quit" or not word:
        break
    stood, went = (now - before for now, before in zip(clocks(), began))
    print("lost" if over else "error %d of %d" % (stood, went) if word == "held" else "ok", flush=True)
"""
STORY = """enter(a); suspend(a); advance(race, 31 * SECOND); resume(a); ask(a); advance(race, 19 * SECOND); ask(a);
           advance(race, SECOND); ask(a);"""


def test_a_clock_stands_still_and_what_waits_on_it_is_put_off(scratch, tmp_path):
    said = run(scratch.race(STORY), "--virtual", "--client", executable(tmp_path, GUEST, "guest"))
    asked = [line.split() for line in said.out.splitlines() if "error" in line or "knows that it is lost" in line]
    assert [words[-3:] for words in asked[:2]] == [["0", "of", "31"], ["19", "of", "50"]], said.out
    assert asked[2][-1] == "lost" and "suspended" in said.out


SLEEPS = f"""#!{sys.executable}
import ctypes, os, sys, threading, time
over, libc = threading.Event(), ctypes.CDLL(None)
def naps(clock):
    libc.clock_nanosleep(clock, 0, (ctypes.c_long * 2)(20, 0), None)
def hears_a_timer(clock):
    timer = libc.timerfd_create(clock, 0)
    libc.timerfd_settime(timer, 0, (ctypes.c_long * 4)(0, 0, 20, 0), None)
    os.read(timer, 8)
def sleeps():
    %s
    over.set()
threading.Thread(target=sleeps, daemon=True).start()
print("ready", flush=True)
for line in sys.stdin:
    print("ok" if line.strip() != "held" else "lost" if over.is_set() else "error still", flush=True)
"""


@pytest.mark.parametrize("clock, answers", [
    ("time.CLOCK_REALTIME", ["still", "still", "lost"]),
    ("time.CLOCK_MONOTONIC", ["still", "still", "lost"]),
    ("time.CLOCK_BOOTTIME", ["lost", "lost", "lost"]),
])
@pytest.mark.parametrize("how", ["naps", "hears_a_timer"])
def test_some_time_by_the_wall_clock_is_counted_on_the_clock_that_stands_still(scratch, tmp_path, how, clock, answers):
    program = executable(tmp_path, SLEEPS % f"{how}({clock})", "guest")
    said = run(scratch.race(STORY), "--virtual", "--client", program)
    asked = [line.split()[-1] for line in said.out.splitlines() if "error" in line or "knows that it is lost" in line]
    assert asked[:3] == answers, said.out


def test_in_a_schedule(scratch):
    """The holder of stage 6 knows that its lease is over, and the word is as good as the race."""
    said = run("./scenarios/replay", "v1 stage6 A:enter A>< A:suspend t+31 A:cut-off A:continue A:held")
    assert "knows that it is lost" in said.out and "suspended" in said.out, said
    twice = run("./scenarios/replay", "v1 stage6 A:enter A>< A:suspend A:suspend")
    assert "A:suspend, does not exist here: A is stopped already" in twice.out
