"""The recordings for the game in the browser: what ./scenarios/play --record prints, by columns,
which pack better than rows."""

import json
import re
from collections import deque

from programs import ask

# What a client does once, with one fault at most. More has too many positions: two faults; nested
# calls in stages 3, 6 and 7; other faults where clients wait or ask several masters.
ONCE = ["--rounds", "1", "--leases", "1", "--at-most", "1"]
USUAL = [*ONCE, "--faults", "crash,stop,lose-answer,stranger"]
NESTED = [*USUAL, "--nested", "1"]
WAITING = [*ONCE, "--wait", "60", "--faults", "crash"]
MASTERS = [*ONCE, "--faults", "jump"]
GAMES = {"stage1": NESTED, "stage2": NESTED, "stage3": USUAL, "stage4": NESTED, "stage5": NESTED, "stage6": USUAL,
         "stage7": USUAL, "stage8": WAITING, "stage9": WAITING, "detour_subscribe_once": WAITING,
         "road_redlock": MASTERS}


# The levels of the game: from a lock that stays for ever to a quorum.
LEVELS = [("stage1", "recovery"), ("stage2", "recovery"), ("stage3", "foreign"), ("stage4", "exclusion"),
          ("stage5", "exclusion"), ("stage6", "exclusion"), ("detour_subscribe_once", "wakeup"), ("road_redlock", "exclusion")]


def columns(document):
    """Where a move leads is counted back from the last position that was found before it: -1 is a
    new one."""
    moves = [move for position in document["moves"] for move in position]
    to, last = [], 0
    for move in moves:
        to.append(last - move[2])
        last = max(last, move[2])
    return {**{name: document[name] for name in ("lock", "lease_ms", "bounds", "goals", "texts")},
            "shown": list(map(list, zip(*document["positions"], strict=True))),
            "counts": [len(position) for position in document["moves"]],
            "words": [move[0] for move in moves], "steps": [move[1] for move in moves], "to": to,
            "losses": [[at, *move[3:]] for at, move in enumerate(moves) if len(move) > 3]}


def options(stage):
    return ["--stage", stage, *GAMES[stage]]


def record(stage):
    return columns(json.loads(ask("play", "--record", *options(stage))))


def targets(table):
    """Where each move leads."""
    last, found = 0, []
    for back in table["to"]:
        found.append(last - back)
        last = max(last, found[-1])
    return found


def shortest(table, goal):
    """The moves of a shortest way to lose this goal."""
    leads, first = targets(table), [0]
    for count in table["counts"]:
        first.append(first[-1] + count)
    wanted = [name for name, _ in table["goals"]].index(goal)
    losing = {at for at, *pairs in table["losses"] if wanted in pairs[::2]}
    ways, waiting = {0: []}, deque([0])
    while waiting:
        at = waiting.popleft()
        for move in range(first[at], first[at + 1]):
            if move in losing:
                return [*ways[at], move]
            if leads[move] not in ways:
                ways[leads[move]] = [*ways[at], move]
                waiting.append(leads[move])
    return None


def schedule(table, lock, moves):
    """The line that replays them. "A> A<" is written as "A><"."""
    steps = " ".join(filter(None, (table["texts"][table["steps"][move]] for move in moves)))
    masters = table["bounds"].get("masters")
    return " ".join(["v1", lock, "strict", *([f"masters{masters}"] if masters else []),
                     re.sub(r"\b([A-D]\d*)> \1<", r"\1><", steps)])


def answer_in_play(stage, table, moves):
    """The stage that does not lose by these moves, in the words of the game in a terminal."""
    leads, at, typed = targets(table), 0, ""
    for move in moves:
        typed += f"{move - sum(table['counts'][:at]) + 1}\n"
        at = leads[move]
    said = " ".join(ask("play", *options(stage), input=f"{typed}q\n").split())
    found = re.findall(r"Stage \d+ answers this: it does not lose by these moves", said)
    return f"{found[-1]}." if found else ""


def answer_in_tables(stage, goal, recorded):
    """The first later stage on which no order of moves leads to the goal, if all up to it are recorded."""
    if not stage.startswith("stage"):
        return ""
    for number in range(int(stage.removeprefix("stage")) + 1, 10):
        table = recorded.get(f"stage{number}")
        if table is None:
            return ""
        if shortest(table, goal) is None:
            return f"Stage {number} answers this: no order of moves leads there."
    return ""


def levels(recorded):
    """[(level, the schedule of a shortest way)] of {name: table}"""
    found = []
    for stage, goal in LEVELS:
        if table := recorded.get(stage):
            moves = shortest(table, goal)
            found.append(({"lock": stage, "goal": goal, "means": dict(table["goals"])[goal], "fewest": len(moves),
                           "survives": answer_in_play(stage, table, moves) or answer_in_tables(stage, goal, recorded)},
                          schedule(table, stage, moves)))
    return found
