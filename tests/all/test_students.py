"""The exercises: a starter fails where its page says and nowhere else, a solution passes,
and make leads a student from one to the other."""

import re
import shutil

import pytest

import exercises
import leaks
import mutants
from lockstep import ROOT, comparable, copy_tree, lock_source, make, run

ALL = exercises.exercises()
TOP = ROOT / "build/exercises"
ids = {"ids": lambda exercise: exercise.name}


class Starter:
    """What mutants.build() wants to know about it."""

    def __init__(self, exercise):
        self.name, self.brief, self.top = exercise.name, exercise.lock, TOP
        self.path = exercise.path
        self.source = exercise.starter


class Solution(Starter):
    """One of common/course/exercises: the starter, changed."""

    def __init__(self, path):
        super().__init__(exercises.find(path.stem))
        self.name, self.path = f"{path.stem} solved", path
        self.brief += "_solved"
        self.source = lambda: mutants.Mutant(path).applied(exercises.find(path.stem).starter())


SOLUTIONS = [Solution(path) for path in sorted((ROOT / "common/course/exercises").glob("*.diff"))]


@pytest.fixture(scope="session")
def made():
    return mutants.build([*map(Starter, ALL), *SOLUTIONS])


@pytest.mark.parametrize("exercise", ALL, **ids)
def test_a_starter_fails(exercise, made):
    """In two of its races; test_mutants.py and test_matrix.py know the rest."""
    assert made[exercise.name] == "", made[exercise.name]
    if exercise.turn:
        said = mutants.verdicts(Starter(exercise), exercise.turn[:2])
        assert "holds" not in said.values()


@pytest.mark.parametrize("solution", SOLUTIONS, ids=lambda solution: solution.path.stem)
def test_another_solution_passes(solution, made):
    """Where the starter fails, and in one race more."""
    assert made[solution.name] == "", made[solution.name]
    turn = exercises.find(solution.path.stem).turn
    said = set(mutants.verdicts(solution, [*turn, "two_processes"]).values())
    assert "holds" in said and said <= {"holds", "cannot"}
    exercise = exercises.find(solution.path.stem)
    assert not exercise.property or exercise.property not in mutants.lost_properties(
        solution.top, solution.brief, exercise.bounds, "--positions", mutants.POSITIONS)


@pytest.mark.parametrize("exercise", ALL, **ids)
def test_the_solution_passes(exercise):
    """In the races that the starter loses, and in its search; test_matrix.py knows the rest."""
    said, _ = exercises.verdicts(exercise.goal, exercise.turn) if exercise.turn else ({}, "")
    assert all(verdict in ("holds", "cannot") for verdict in said.values()), said
    assert "holds" in said.values() or exercise.property
    if exercise.property:
        positions = ("--positions", mutants.POSITIONS)
        assert exercise.property not in mutants.lost_properties(ROOT, exercise.goal, exercise.bounds, *positions)


# --- as a student ------------------------------------------------------------

@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    top = tmp_path_factory.mktemp("student") / "lockstep"
    top.mkdir()
    copy_tree(top)
    shutil.copytree(ROOT / "docs/exercises", top / "docs/exercises", symlinks=True)
    yield top
    shutil.rmtree(top)


def samples(page):
    return re.findall(r"^```text\n(.*?)^```$", (ROOT / "docs" / page).read_text(), re.M | re.S)


def change(lock, old, new):
    text = lock.read_text()
    assert text.count(old) == 1
    lock.write_text(text.replace(old, new))


def test_from_a_story_to_a_lock_that_holds(clone):
    lock = clone / "stages/my_odd_seconds/lock.c"
    begun = make(clone, "exercise", "EX=odd_seconds")
    assert begun.code == 0 and "make check EX=odd_seconds" in begun.out, begun
    again = make(clone, "exercise", "EX=odd_seconds")
    assert again.code == 2 and "is there already and stays as it is" in again.err, again

    failed = make(clone, "check", "EX=odd_seconds")
    assert failed.code == 0, failed
    alone = run("python3", "common/course/exercises.py", "check", "odd_seconds", cwd=clone)
    assert alone.code == 1 and "\nNot yet." in alone.out, alone
    assert re.search(r"^    lease_rounded_down +BROKEN +not yet$", failed.out, re.M), failed
    assert "lease_rounded_down on my_odd_seconds" in failed.out and "Not yet." in failed.out
    (said,), (trace, done) = samples("exercises.md"), samples("start.md")
    assert said in failed.out and comparable(trace) in comparable(failed.out)
    hint = make(clone, "check", "EX=odd_seconds", "HINT=2")
    assert hint.code == 0 and hint.out.startswith("Hint 2 of 3\n\nWhat is 2500 / 1000"), hint

    change(lock, "lease_ms / 1000", "(lease_ms + 999) / 1000")
    passed = make(clone, "check", "EX=odd_seconds")
    assert done in passed.out and "\nDone." in passed.out, passed
    assert re.search(r"odd_seconds .* done$", make(clone, "exercises").out, re.M)

    change(lock, "NX EX", "EX")  # turns, and loses much else
    lost = make(clone, "check", "EX=odd_seconds")
    assert "Done" not in lost.out and "not yet" in lost.out, lost
    assert not re.search(r"odd_seconds .* done$", make(clone, "exercises").out, re.M)


def test_a_student_is_not_greeted_with_all_names(clone):
    """Of 22 races those that are known best, and the check shows their first."""
    turn = exercises.find("lease_first").turn
    begun = make(clone, "exercise", "EX=lease_first")
    assert begun.code == 0 and "Has to turn: crash_holding " in begun.out, begun
    assert f"and {len(turn) - 8} others" in begun.out and sum(race in begun.out.split() for race in turn) == 8
    failed = make(clone, "check", "EX=lease_first").out
    assert f"    and {len(turn) - 8} others, {len(turn) - 8} of them not yet\n" in failed
    assert "\n$ ./scenarios/crash_holding --stage my_lease_first\n" in failed


def test_where_solutions_were_taken_out(clone):
    """As in the copy that make handout makes."""
    (clone / "common/course/exercises").rename(clone / "solutions")
    finished = make(clone, "solution", "EX=odd_seconds")
    (clone / "solutions").rename(clone / "common/course/exercises")
    assert finished.code == 2, finished
    assert finished.err.startswith("exercises: the solution of odd_seconds is not in this tree\n")


def test_a_lock_that_crashes_or_does_not_compile(clone):
    lock = clone / "stages/my_one_badge/lock.c"
    assert make(clone, "exercise", "EX=one_badge").code == 0
    change(lock, "token_new(lock->token);", "token_new(NULL);")
    line = lock.read_text().splitlines().index("    token_new(NULL);") + 1
    crashed = make(clone, "check", "EX=one_badge")
    assert crashed.code == 2 and f"stages/my_one_badge/lock.c:{line}: " in crashed.err, crashed
    change(lock, "token_new(NULL);", "token_new(;")
    wrong = make(clone, "check", "EX=one_badge")
    assert wrong.code == 2 and f"lock.c:{line}:" in wrong.err, wrong
    assert "stages/my_one_badge/lock.c does not compile: the lines above say where" in wrong.err


def test_a_leak_is_told_with_its_line(tmp_path):
    """Of a client that was built with sanitizers; and no lock of the course leaks."""
    source = tmp_path / "lock.c"
    shutil.copy(lock_source("stage6_watchdog"), source)
    change(source, "    token_new(token);", "    token_new(token);\n    memset(malloc(40), 1, 40);")
    line = source.read_text().splitlines().index("    memset(malloc(40), 1, 40);") + 1
    client = ROOT / "build/clients/my_leak"
    try:
        for text, told in ((source, [f"stages/my_leak/lock.c:{line}: "]),
                           (lock_source("stage6_watchdog"), [])):
            built = run("cc", "-g", "-D_GNU_SOURCE", "-fsanitize=address",
                        f"-I{ROOT}/common", f"-I{ROOT}/common/lock", "-o", client, text, ROOT / "build/liblock.a", "-lhiredis", "-pthread")
            assert built.code == 0, built
            said = leaks.of("my_leak")
            assert [place.split(": ")[0] + ": " for place in said] == told, said
    finally:
        client.unlink(missing_ok=True)


def test_a_student_s_lock_is_in_no_table_that_does_not_name_it(clone):
    folder = clone / "stages/my_own"
    shutil.copytree(clone / "stages/stage1_setnx", folder)
    assert make(clone, "build/clients/my_own").code == 0
    for words in ([], ["--all"]):
        table = run(clone / "scenarios/matrix", "two_processes", *words, cwd=clone)
        assert table.code == 0 and "my_own" not in table.out
    named = run(clone / "scenarios/matrix", "two_processes", "--stage", "my_own", cwd=clone)
    assert named.out.startswith("race           my_own\ntwo_processes  holds\n")
    assert "my_own" not in make(clone, "-n").out
    shutil.rmtree(folder)
    (clone / "build/clients/my_own").unlink()


def test_a_lock_from_scratch(clone):
    assert "make mine begins it" in make(clone, "check").err
    assert make(clone, "mine").code == 0
    assert "stays as it is" in make(clone, "mine").err
    empty = make(clone, "check").out
    assert ("Your lock is no stage yet; next: ./scenarios/two_processes --stage my_lock"
            in empty), empty
    shutil.copy(clone / "stages/stage4_set_nx_ex/lock.c", clone / "stages/my_lock")
    said = make(clone, "check").out
    assert ("Your lock is a stage 4 now; next: ./scenarios/expired_delete --stage my_lock"
            in said), said


@pytest.mark.parametrize("words, error", [
    (["exercise"], "EX names the exercise: make exercises shows them all"),
    (["exercise", "EX=nothing"], "there is no exercise 'nothing': make exercises shows them all"),
    (["check", "EX=late_grant"], "late_grant is not begun: make exercise EX=late_grant"),
    (["solution"], "EX names the exercise: make exercises shows them all"),
    (["check", "EX=late_grant", "HINT=4"], "HINT is a number from 1 to 3, not '4'"),
])
def test_wrong_use(words, error, clone):
    finished = make(clone, *words)
    assert (finished.code, finished.err.splitlines()[0]) == (2, f"exercises: {error}"), finished
