"""Real time and virtual time come to the same verdicts: the proof that the
preloaded clock changes nothing but the waiting. A race that cannot be told in
real time says so, as does one that this machine was too busy for: none is BROKEN or
HOLDS by chance.

The whole table, many times: LOCKSTEP_REAL_RUNS=10 python3 -m pytest tests/test_real_time.py
"""

import os
import re
import sys

import pytest

from lockstep import ROOT, locks, races, read_matrix, replay, replay_real, run, short, without_property
from world import executable

RUNS = int(os.environ.get("LOCKSTEP_REAL_RUNS", "0"))
RACES = ["two_processes", "crash_holding", "work_outlives_lease", "stop_the_world",
         "expired_delete", "delayed_delete", "check_then_delete", "stranger_releases",
         "hung_worker", "cut_off_holder", "nested_call", "lost_grant_answer", "restart_empty",
         "forced_unlock", "inner_release", "failover", "late_grant", "server_stall",
         "losers_keep_it_alive", "loser_blocks_release", "same_second_deadline", "silent_retake"]
LADDER = [lock for lock in locks() if lock.startswith("stage")]
CHOSEN = LADDER + ["detour_getset_exact", "detour_getset_greater", "detour_extend_retakes"]
# No exact instants and no clock turned: the story itself can always be told.
NEEDS_INSTANTS = {"losers_keep_it_alive", "loser_blocks_release", "loser_overwrites_deadline",
                  "lost_release_answer", "same_second_deadline", "silent_retake",
                  "expiry_boundary"}
NOT_IN_REAL_TIME = re.compile(r" in real time\.$| for real time\.$")
EXPECTED = {(race, lock): verdict.lower() for race, lock, verdict in read_matrix()}


def differences(names, chosen):
    """Cells of the table that are neither what they are in virtual time nor excused."""
    options = [word for lock in chosen for word in ("--stage", lock)]
    finished = run("./scenarios/matrix", "--real", "--format", "json", *options, *names,
                   timeout=None)
    assert finished.code == 0, finished
    said = finished.document
    assert set(said) == set(names)
    return [(race, lock, verdict) for race, row in said.items() for lock, verdict in row.items()
            if without_property(verdict) not in (EXPECTED[race, short(lock)], "cannot", "inconclusive")]


@pytest.mark.parametrize("part", range(3))
def test_the_same_verdicts(part):
    """Each race on a third of the locks, each lock in a third of the races."""
    assert not differences(RACES[part::3], CHOSEN[part::3])


@pytest.mark.parametrize("race", sorted(NEEDS_INSTANTS))
def test_a_race_of_exact_instants_says_that_it_cannot_be_run(race):
    lock = next(lock for lock in locks() if EXPECTED[race, short(lock)] == "broken")
    finished = replay(race, lock, "--real")
    assert finished.verdict == "CANNOT HAPPEN", finished
    assert NOT_IN_REAL_TIME.search(reason(finished)), finished


def reason(finished):
    return re.search(r"^CANNOT HAPPEN: (.*)$", finished.out, re.M)[1]


@pytest.mark.parametrize("race, lock", [("two_processes", "0"), ("expired_delete", "4"),
                                        ("expired_delete", "5"), ("stranger_releases", "3"),
                                        ("reentry_shrinks_lease", "detour_reentrant_lease")])
def test_what_real_time_can_show_it_shows(race, lock):
    """Not only excuses: on a machine that is too busy for it, it is told again."""
    finished = replay_real(race, lock)
    name = next(name for name in locks() if name.startswith((f"stage{lock}_", lock)))
    assert finished.verdict.lower() == EXPECTED[race, short(name)], finished


def test_several_locks_each_have_a_server_that_starts_again():
    finished = run("./scenarios/restart_empty", "--real", "--stage", "6", "--stage", "7")
    assert finished.err == "" and finished.out.count("BROKEN: A and B") == 2, finished


@pytest.mark.skipif(not RUNS, reason="LOCKSTEP_REAL_RUNS=10 asks for it")
@pytest.mark.parametrize("number", range(RUNS))
def test_the_whole_table(number):
    assert not differences(races(), locks())


SLOW = """#!{python}
import os, select, subprocess, sys
guest = subprocess.Popen([{python!r}, {guest!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
print(guest.stdout.readline(), end="", flush=True)
for line in sys.stdin:
    if line.startswith("enter") and int(os.environ["LOCK_LEASE_MS"]) < 2000:
        select.select([], [], [], 1.2)
    guest.stdin.write(line)
    print(guest.stdout.readline(), end="", flush=True)
"""


def test_a_lease_that_is_too_short_for_this_machine_is_made_longer(tmp_path):
    """A client that needs more than a second in a lease of one."""
    slow = executable(tmp_path, SLOW.format(python=sys.executable, guest=str(ROOT / "tests/guests/redis_py.py")), "slow")
    finished = run("./scenarios/two_processes", "--client", slow)
    again = re.findall(r"^This machine is too busy for two_processes with a lease of (\d+) s: again with (\d+) s$", finished.err, re.M)
    assert finished.verdict == "HOLDS" and again and again[0][0] == "1" and int(again[0][1]) >= 3, finished
    assert f"lease {again[-1][1]} s" in finished.out.splitlines()[0]
