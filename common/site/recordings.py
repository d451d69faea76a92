"""The recordings for the game in the browser: what ./scenarios/play --record prints, by columns,
which pack better than rows."""

import json

from programs import ask

# All nine goals are within the first bounds. The others have too many positions with nested calls.
USUAL = ["--rounds", "1", "--leases", "1", "--faults", "crash,stop,lose-answer,stranger"]
FAULTS = (1, 2)  # in all; a table for each
BOUNDS = {"stage1": [*USUAL, "--nested", "1"], "stage2": [*USUAL, "--nested", "1"], "stage3": USUAL,
          "stage4": [*USUAL, "--nested", "1"], "stage5": [*USUAL, "--nested", "1"], "stage6": USUAL,
          "stage7": USUAL}


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
    return ["--stage", stage, *BOUNDS[stage], "--at-most", str(faults)]


def record(table):
    stage, faults = table
    return name(stage, faults), columns(json.loads(ask("play", "--record", *options(stage, faults))))
