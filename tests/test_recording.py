"""./scenarios/play --record: all positions of a game within bounds."""

import collections
import re

import pytest

from lockstep import ROOT, run

BOUNDS = ["--rounds", "1", "--leases", "1", "--faults", "crash,stop", "--at-most", "1"]
PAGE = (ROOT / "docs/json.md").read_text()


@pytest.fixture(scope="module")
def recording():
    finished = run(ROOT / "scenarios/play", "--stage", "4", "--record", *BOUNDS)
    assert (finished.code, finished.err) == (0, "")
    return finished.document


def game(line):
    return run(ROOT / "scenarios/play", "--stage", "4", *BOUNDS, input=line).out


def shortest(recording, goal):
    """The moves of a shortest way to lose this, or None."""
    came, line = {0: None}, collections.deque([0])
    while line:
        at = line.popleft()
        for number, (_, _, to, *losses) in enumerate(recording["moves"][at]):
            if goal in losses[::2]:
                way = [number]
                while came[at]:
                    at, before = came[at]
                    way.append(before)
                return way[::-1]
            if to not in came:
                came[to] = (at, number)
                line.append(to)
    return None


def test_its_fields(recording):
    rows = PAGE[PAGE.index("## A recorded game"):].split("|---|---|\n", 1)[1].split("\n\n", 1)[0]
    listed = {name for names in re.findall(r"^\| (.*?) \|", rows, re.M) for name in re.findall(r"`(\w+)`", names)}
    assert set(recording) == listed
    assert recording["lock"] == "stage4_set_nx_ex" and recording["bounds"]["faults"] == {"crash": 1, "stop": 1}
    assert len(recording["positions"]) == len(recording["moves"]) > 1000
    texts = len(recording["texts"])
    assert all(len(position) == 6 and max(position[1:]) < texts for position in recording["positions"])
    reached = {to for moves in recording["moves"] for _, _, to, *_ in moves} | {0}
    assert reached == set(range(len(recording["positions"])))


@pytest.mark.parametrize("typed", ["", "1", "1 1 1", "1 1 1 1 2", "1 1 1 1 4 1", "1 2 1 1 3"])
def test_its_moves_and_what_is_seen_are_those_of_the_game(recording, typed):
    at, texts = 0, recording["texts"]
    for word in typed.split():
        at = recording["moves"][at][int(word) - 1][2]
    said = game(f"{typed}\nt\n").split("\nClock: ")[-1]
    clock, _, budget, *_ = recording["positions"][at]
    assert float(said.split()[0]) * 1000 == pytest.approx(clock)
    assert texts[budget] in " ".join(said.split())
    assert re.findall(r"^ +\d+  (.*)$", said, re.M) == [texts[words] for words, *_ in recording["moves"][at]]


@pytest.mark.parametrize("goal", ["exclusion", "recovery", "foreign", "told", "loser", "bounded"])
def test_its_goals_are_as_far_as_in_the_game(recording, goal):
    number = [word for word, _ in recording["goals"]].index(goal)
    way = shortest(recording, number)
    said = run(ROOT / "scenarios/play", "--stage", "4", *BOUNDS, "--goal", goal, input="h\n").out
    if way is None:
        assert "out of reach" in said.lower()
        return
    assert f"The goal is {len(way)} moves away" in said
    played = run(ROOT / "scenarios/play", "--stage", "4", *BOUNDS, "--goal", goal,
                 input=" ".join(str(move + 1) for move in way) + "\n").out
    assert f"LOST: {goal}." in " ".join(played.split()) and "and no way is shorter!" in " ".join(played.split())
    at, steps = 0, []
    for move in way:
        steps.append(recording["texts"][recording["moves"][at][move][1]])
        at = recording["moves"][at][move][2]
    assert run(ROOT / "scenarios/replay", f"v1 stage4 strict {' '.join(steps)}").verdict == "BROKEN"


def test_the_same_bytes_every_time():
    command = ROOT / "scenarios/play", "--stage", "2", "--record", *BOUNDS
    assert run(*command).out == run(*command, "--jobs", "1").out


def test_too_many_positions():
    finished = run(ROOT / "scenarios/play", "--stage", "1", "--record")
    assert (finished.code, finished.out) == (2, "")
    assert finished.err == ("play: more than 200000 positions: fewer are within --rounds 1 --leases 1 "
                            "--faults crash,stop --at-most 1\n")
