"""Grades for the tests of reports: made ones that hold all that is hard to write down, and real ones,
of classes that are graded once for all tests."""

import fcntl
import functools
import json
import os
import sys
from pathlib import Path

import exercises
from lockstep import ROOT, lock_code, run

# What a name and a message could do to a document or a terminal.
NASTY = '<a> & "b" #1 \\ \x1b[2J \x00 ]]> \n1..0 =cmd() \u00fc'
MADE = {"student": NASTY, "points": 1.5, "of": 3.5, "tasks": [
    {"task": "lock", "points": 1.5, "of": 3, "trouble": "", "checks": [
        {"kind": "race", "name": "two_processes", "hidden": False, "points": 1.5, "of": 1.5, "how": "holds",
         "said": "holds", "command": "./scenarios/two_processes --stage my_lock"},
        {"kind": "race", "name": "lease_rounded_down", "hidden": True, "points": 0, "of": 1.5, "how": "broken",
         "said": "broken", "command": "./scenarios/lease_rounded_down --stage my_lock"}]},
    {"task": "other", "points": 0, "of": 0.5, "trouble": NASTY, "checks": [
        {"kind": "search", "name": "the search", "hidden": False, "points": 0, "of": 0.5, "how": "not tried",
         "said": "not tried", "command": ""}]}]}

GRADE = [sys.executable, ROOT / "common/course/grade.py"]


def grade(*words, **more):
    return run(*GRADE, *words, **more)


def grade_both(folder):
    """{assignment: its report} of both ready assignments: for a class of two who repair, and one who
    writes a stage 4."""
    for student in ("anna", "bob"):
        (folder / student).mkdir(parents=True)
        for name in ("odd_seconds", "one_badge", "late_grant"):
            exercise = exercises.find(name)
            text = (exercise.starter() if (student, name) == ("bob", "odd_seconds")
                    else lock_code(exercise.goal))
            (folder / student / f"{name}.c").write_text(text)
    repair = grade("--assignment", "docs/assignments/repair.toml", "--class", folder, "--format", "json")
    ladder = grade("--assignment", "docs/assignments/ladder.toml",
                   "stages/stage4_set_nx_ex/lock.c", "--format", "json")
    return {name: finished.document for name, finished in
            (("repair", repair), ("ladder", ladder))}


@functools.cache
def results():
    """Those of grade_both. conftest.py makes the folder around them."""
    kept = Path(os.environ["LOCKSTEP_RUNS"]) / "grades.json"
    with open(kept.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            kept.write_text(json.dumps(grade_both(kept.with_name("class"))))
    return json.loads(kept.read_text())


def classes():
    return [[MADE], *(results()[name]["students"] for name in ("repair", "ladder"))]


def matrix(name):
    """Of cells of each kind that a table of ours has."""
    finished = run(ROOT / "scenarios/matrix", "--format", name, "--stage", "4", "--stage", "9",
                   "expired_delete", "inner_release", "two_processes")
    assert finished.code == 0, finished
    return finished.out
