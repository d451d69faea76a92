"""Whole traces, byte for byte: `python3 tests/golden.py` writes them anew."""

import re

import pytest

import golden
from lockstep import TESTS, lock_code, replay
from world import where_it_is


@pytest.mark.parametrize("race, lock", [*golden.CELLS, *where_it_is(golden.FIRST)])
def test_trace(race, lock):
    assert replay(race, lock).comparable == golden.path(race, lock).read_text()


@pytest.mark.parametrize("race, lock", golden.WIRE)
def test_wire(race, lock):
    assert replay(race, lock, "--wire").comparable == golden.path(race, f"{lock}.wire").read_text()


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
    kept = [golden.path(*cell) for cell in [*golden.CELLS, *golden.ROADS]]
    kept += [golden.path(race, f"{lock}.wire") for race, lock in golden.WIRE]
    assert sorted(kept) == sorted([*(TESTS / "golden").iterdir(), *(TESTS / "golden_roads").iterdir()])
