"""The exercises: what their pages say. (tests/all/test_students.py does them.)"""

import re
import sys

import pytest

import exercises
import mutants
from lockstep import ROOT, lock_code, run

ALL = exercises.exercises()
ids = {"ids": lambda exercise: exercise.name}


@pytest.mark.parametrize("exercise", ALL, **ids)
def test_a_page_says_what_is_true(exercise):
    assert exercise.turn == exercises.lost_by(exercise)  # common/course/exercises.py pages
    assert exercise.turn or exercise.property
    goal = exercises.column(exercise.goal)
    assert "BROKEN" not in [goal[race] for race in exercise.turn]
    assert len(exercise.hints) == 3 and exercise.story and 1 <= exercise.level <= 5
    if exercise.bug:
        assert exercise.bug.lock == exercise.start == exercise.goal
        row = mutants.read_table()[exercise.bug.name]
        assert not exercise.property or (row.bounds, list(row.lost)) == (
            exercise.bounds, [exercise.property])


@pytest.mark.parametrize("exercise", ALL, **ids)
def test_a_solution_is_told(exercise):
    """Why it is one, and in which lines; they lead from the starter to the lock."""
    finished = run(sys.executable, ROOT / "common/course/exercises.py", "solution", exercise.name)
    assert finished.code == 0, finished
    told, _, changes = finished.out.partition("\n--- the starter\n")
    assert told.startswith(exercise.title) and len(told.split()) >= 30
    assert max(map(len, told.splitlines())) <= exercises.WIDTH
    changes = changes.split("\nThe other way: ")[0].rstrip("\n") + "\n"
    start, goal = exercise.starter(), lock_code(exercise.goal)
    hunks = re.split(r"^@@ .* @@\n", changes, flags=re.M)[1:]
    assert hunks
    for hunk in hunks:
        lines = hunk.splitlines(True)
        assert "".join(line[1:] for line in lines if line[0] != "+") in start
        assert "".join(line[1:] for line in lines if line[0] != "-") in goal


def test_there_are_enough():
    rungs = [exercise.rung for exercise in ALL]
    assert all(rungs.count(rung) >= 2 for rung in [*map(str, range(1, 10)), "Redlock"])
    assert sum(bool(exercise.property) for exercise in ALL) >= 2


def test_the_page_lists_them():
    """common/course/exercises.py pages writes it anew."""
    assert exercises.PAGE.read_text() == exercises.page()
