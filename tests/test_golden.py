"""Whole traces, byte for byte. To write them anew after a change that is meant:

    python3 tests/test_golden.py
"""

import re

import pytest

from lockstep import ROOT, TESTS, lock_code, locks, open_races, replay, short

RACES = ["expired_delete", "crash_mid_acquire", "stop_the_world", "nested_call",
         "loser_overwrites_deadline", "lost_grant_answer"]
CELLS = [(race, short(lock)) for race in RACES for lock in locks() if lock.startswith("stage")]
# And each detour and each road in the first race that its head says it loses.
CELLS += [(open_races(lock)[0], lock) for lock in locks()
          if lock.startswith(("detour_", "road_"))]
CELLS += [("watchdog_dies", "stage6")]  # where a request is lost, and not an answer
CELLS += [("two_silent_masters", "road_redlock")]  # which hang, while the client gives up on them
# And some with their bytes: one message is one line, however long it is.
WIRE = [("lost_grant_answer", "stage2"), ("delayed_delete", "stage5")]


def golden(race, lock):
    return TESTS / "golden" / f"{race}.{lock}.txt"


@pytest.mark.parametrize("race, lock", CELLS)
def test_trace(race, lock):
    assert replay(race, lock).comparable == golden(race, lock).read_text()


@pytest.mark.parametrize("race, lock", WIRE)
def test_wire(race, lock):
    assert replay(race, lock, "--wire").comparable == golden(race, f"{lock}.wire").read_text()


def test_the_bytes_are_the_ones_sent():
    """Read back, the lines are RESP, the script with its indents too."""
    shown = re.findall(r"^   > (.*)$", replay("script_flush", "stage5", "--wire").out, re.M)
    sent = [line.encode().decode("unicode_escape") for line in shown]
    assert len(sent) == 4 and all(line.endswith("\r\n") for line in sent), shown
    evals = re.match(r"\*5\r\n\$4\r\nEVAL\r\n\$(\d+)\r\n(.*)\r\n\$1\r\n1\r\n", sent[2], re.S)
    assert len(evals[2]) == int(evals[1])
    script = re.findall(r'^ +"(.*)\\n"', lock_code("stage5_token_lua"), re.M)
    assert evals[2].splitlines() == script


def test_no_golden_is_left_over():
    assert sorted((TESTS / "golden").iterdir()) == sorted(
        [golden(*cell) for cell in CELLS] + [golden(race, f"{lock}.wire") for race, lock in WIRE])


if __name__ == "__main__":
    (TESTS / "golden").mkdir(exist_ok=True)
    for cell in CELLS:
        golden(*cell).write_text(replay(*cell).comparable)
    for race, lock in WIRE:
        golden(race, f"{lock}.wire").write_text(replay(race, lock, "--wire").comparable)
