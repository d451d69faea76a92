"""The recordings for the game in the browser: what ./scenarios/play --record prints, by columns,
which pack better than rows."""

import json

from programs import ask

# What a client does once, and how many faults there are at most: a table for each number. More has
# too many positions: nested calls in stages 3, 6 and 7; other or more faults where clients wait or
# ask several masters.
ONCE = ["--rounds", "1", "--leases", "1"]
USUAL = [*ONCE, "--faults", "crash,stop,lose-answer,stranger"], [1, 2]
NESTED = [*USUAL[0], "--nested", "1"], [1, 2]
WAITING = [*ONCE, "--wait", "60", "--faults", "crash"], [1]
MASTERS = [*ONCE, "--faults", "jump"], [1]
GAMES = {"stage1": NESTED, "stage2": NESTED, "stage3": USUAL, "stage4": NESTED, "stage5": NESTED, "stage6": USUAL,
         "stage7": USUAL, "stage8": WAITING, "stage9": WAITING, "detour_subscribe_once": WAITING,
         "road_redlock": MASTERS}


def tables(stages):
    """[(stage, number of faults)]"""
    return [(stage, faults) for stage in stages for faults in GAMES[stage][1]]


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


def name(stage, faults):
    return stage if faults == 1 else f"{stage}-{faults}"


def options(stage, faults):
    return ["--stage", stage, *GAMES[stage][0], "--at-most", str(faults)]


def record(table):
    stage, faults = table
    return name(stage, faults), columns(json.loads(ask("play", "--record", *options(stage, faults))))
