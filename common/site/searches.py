"""What the search finds: its answers, its shortest schedules as runs, and the table of assumptions.

That table takes minutes to make, so it is read from docs/assumptions.md, where a test holds it
against the program.
"""

import json
import re

from tree import ROOT, locks, short
from programs import ask

STAGES = [short(lock) for lock in locks() if lock.startswith("stage") and short(lock) != "stage0"]
PAGE = ROOT / "docs/assumptions.md"


def search(stage):
    return json.loads(ask("explore", "--stage", stage, "--format", "json"))


def replayed(schedule):
    return json.loads(ask("replay", schedule, "--format", "json", "--drawn"))


def all_of(stages, pool):
    """(what was found on each stage, the runs that its properties name by their numbers)"""
    found, schedules = [], []
    for document in pool.map(search, stages):
        properties = {}
        for name, said in document["properties"].items():
            properties[name] = {key: said[key] for key in ("answer", "meaning", "steps", "missing") if key in said}
            if "schedule" in said:
                properties[name]["run"] = len(schedules)
                schedules.append(said["schedule"])
        found.append({"lock": document["lock"], "positions": document["positions"],
                      "transitions": document["transitions"], "runs": document["runs"], "properties": properties})
    return found, list(pool.map(replayed, schedules))


def assumptions():
    """The table, a cell as a list of sets of letters or a word; what the letters mean; and the bounds."""
    text = re.search(r"^\$ \./scenarios/assumptions\n(.*?)^```$", PAGE.read_text(), re.M | re.S)[1]
    table, legend, letters = text.split("\n\n")
    head, *lines = table.splitlines()
    names = head.removeprefix("clean under").split()
    starts = [head.index(name, len("clean under")) for name in names]
    long = {short(lock): lock for lock in locks()}
    rows = [{"lock": long[line.split()[0]], "cells": [line[start:end].strip() for start, end in
                                                 zip(starts, [*starts[1:], None], strict=True)]} for line in lines]
    return {"names": names, "rows": rows,
            "bounds": " ".join(re.match(r"  always  (.*?)\n  never", legend, re.S)[1].split()),
            "letters": [list(words) for words in re.findall(r"^  (\w)  (\S+) +(.*)$", letters, re.M)]}
