"""A guest that says when it is loaded is copied from there. Nothing that a run shows tells that."""

import re

import pytest

from lockstep import ROOT, run
from test_cleanup import start_and_interrupt

RACES = "two_processes crash_holding expired_delete forced_unlock eviction nested_call delayed_delete late_grant".split()

# "loads" is written before that, and "lives" after it.
LOADED = """
import os, sys, uuid
FOLDER = "/tmp"
print("loads", file=sys.stderr, flush=True)
WITHIN
with open(os.environ["LOCK_LOADED"]) as file:
    os.environ.update(variable.split("=", 1) for variable in file.read().split("\\0")[:-1])
print("lives", file=sys.stderr, flush=True)
AFTER
def answer(word):
    if word == "enter":
        return "ok" if "OK" in call("SET", os.environ["LOCK_KEY"], TOKEN, "NX", "PX", os.environ["LOCK_LEASE_MS"]) else "busy"
    if word == "leave":
        return "ok" if ":1" in call("DEL", os.environ["LOCK_KEY"]) else "lost"
    return "ok" if TOKEN in call("GET", os.environ["LOCK_KEY"]) else "lost"
"""


def table(command, *options):
    finished = run(ROOT / "scenarios/matrix", "--virtual", "--format", "tsv", "--digests", *options, "--client", command,
                   *RACES, timeout=None)
    return finished, finished.err.count("loads"), finished.err.count("lives")


def script(within="", after="TOKEN = uuid.uuid4().hex"):
    return LOADED.replace("WITHIN", within).replace("AFTER", after)


@pytest.mark.parametrize("within, after", [
    ("", "TOKEN = uuid.uuid4().hex"),
    ("TOKEN = uuid.uuid4().hex", ""),  # drawn before that: still each client's own
    ("import random, time; started = time.monotonic()", "TOKEN = f'{random.random()} {os.getpid()} {started}'"),
    ("import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()", "TOKEN = uuid.uuid1().hex"),
], ids=["after", "before", "clock", "thread"])
def test_a_copy_is_as_if_started_anew(guest, within, after):
    command = guest(script(within, after))
    copied, loads, lives = table(command)
    fresh, fresh_loads, fresh_lives = table(command, "--fresh")
    assert copied.out == fresh.out and copied.code == 0, (copied, fresh)
    assert "not-run" not in copied.out, copied
    assert fresh_loads == fresh_lives == lives > len(RACES), (fresh, copied)
    assert loads < lives, copied


def test_it_has_what_it_is_told_and_nothing_of_others(guest):
    """Two races have another key, or another lease. A life finds no file of an earlier one."""
    command = guest(script(after="""
TOKEN = uuid.uuid4().hex
if os.path.exists("/tmp/lockstep-was-here"):
    print("was here", file=sys.stderr, flush=True)
open("/tmp/lockstep-was-here", "w").close()
"""))
    finished, loads, lives = table(command)
    assert "was here" not in finished.err and "not-run" not in finished.out, finished
    assert loads <= lives, finished


def test_one_that_cannot_be_loaded_alone_is_started_anew(guest):
    command = guest(script(within="lease = os.environ['LOCK_LEASE_MS']"))
    finished, _, lives = table(command)
    assert finished.out == table(command, "--fresh")[0].out and finished.code == 0, finished
    assert re.search("^[a-z_]+: this guest cannot be loaded for its copies, and is started anew each time: docs/ci.md$",
                     finished.err, re.M), finished
    assert lives > len(RACES), finished


def test_a_search_copies_it(guest):
    command = guest(script())
    finished = run(ROOT / "scenarios/explore", "--client", command, "--clients", "2", timeout=None)
    assert finished.err.count("loads") < 20 < finished.err.count("lives"), finished


def test_in_real_time_there_is_no_such_file(guest):
    command = guest("import os, sys\nprint('LOCK_LOADED' in os.environ, file=sys.stderr, flush=True)\n" + "def answer(word): return 'ok'\n")
    finished = run(ROOT / "scenarios/two_processes", "--client", command, timeout=None)
    assert set(finished.err.split()) == {"False"}, finished
