"""make handout: a copy for a class that builds, has its exercises, and tells no solution."""

import re
import shutil

import pytest

import exercises
from handout import Repair
from lockstep import ROOT, make, run

ASSIGNMENTS = {"everything": [], "labs": ["docs/assignments/repair.toml", "docs/assignments/ladder.toml"]}
LABS = ["odd_seconds", "one_badge", "late_grant"]
HIDDEN = {"everything": ["failed_release_spoils_next"],
          "labs": ["failed_release_spoils_next", "lost_release_command"]}


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    """{name: a folder that make handout has made}"""
    top = tmp_path_factory.mktemp("handout")
    for name, files in ASSIGNMENTS.items():
        made = make(ROOT, "handout", f"DIR={top / name}", f"ASSIGNMENT={' '.join(files)}")
        assert made.code == 0 and "hidden races left out" in made.out, made
    yield {name: top / name for name in ASSIGNMENTS}
    shutil.rmtree(top)


def texts(folder):
    """{path: text} of all that is in it."""
    return {path: path.read_text(errors="replace") for path in folder.rglob("*") if path.is_file()}


def asked(name):
    return [each for each in exercises.exercises() if name == "everything" or each.name in LABS]


@pytest.mark.parametrize("exercise", exercises.exercises(), ids=lambda exercise: exercise.name)
def test_a_repair_is_found_where_it_stands(exercise):
    """In the solution, and not in the starter; otherwise nothing below means anything."""
    repair = Repair(exercise)
    assert repair.is_told(exercises.lock_code(exercise.goal)) and not repair.is_told(exercise.starter())


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_no_solution_stands_in_it(name, classes):
    """A starter of a later rung begins where the repairs of earlier ones are done: they are its own."""
    some = {path: text for path, text in texts(classes[name]).items() if path.name != "starter.c"}
    for exercise in asked(name):
        repair = Repair(exercise)
        told = [path for path, text in some.items() if repair.is_told(text)]
        assert not told, (exercise.name, told)
        why = " ".join(exercise.why.read_text().split())[:60]
        assert not [path for path, text in some.items() if why in " ".join(text.split())], exercise.name
        starter = classes[name] / "docs/exercises" / exercise.name / "starter.c"
        assert starter.read_text() == exercise.starter()
    assert sorted(path.parent.name for path in classes[name].glob("docs/exercises/*/exercise.md")) == sorted(
        exercise.name for exercise in asked(name))


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_no_hidden_race_and_no_test_is_in_it(name, classes):
    top = classes[name]
    for race in HIDDEN[name]:
        assert not [path for path, text in texts(top).items() if race in text or race in path.name]
    for left_out in ("tests", "docs/assignments", "docs/instructors.md", "common/course/grading",
                     "common/course/mutants", "common/course/exercises", "build", ".git"):
        assert (ROOT / left_out).exists() and not (top / left_out).exists(), left_out
    assert not list(top.rglob("*.diff")) and not list(top.glob("scenarios/lease_*"))


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_its_links_lead_somewhere(name, classes):
    for page in classes[name].rglob("*.md"):
        for target in re.findall(r"\]\(([^)\s#]+)", page.read_text()):
            assert "://" in target or (page.parent / target).exists(), (page, target)
        assert "README.md#" not in page.read_text(), page


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_its_pages_make_no_stage_that_is_left_out(name, classes):
    top = classes[name]
    there = {folder.name.partition("_")[0] for folder in (top / "stages").glob("stage*")}
    made = {stage for page in top.glob("docs/*.md")
            for stage in re.findall(r"^    make (stage\d)\b", page.read_text(), re.M)}
    assert "stage0" in made and made <= there, made - there


def test_it_builds_and_its_exercises_can_be_checked(classes):
    top = classes["labs"]
    built = make(top)
    assert built.code == 0 and "arning" not in built.err, built
    assert re.findall(r"^\d +\d +(\w+)", make(top, "exercises").out, re.M) == LABS
    for name in LABS:
        assert make(top, "exercise", f"EX={name}").code == 0
        failed = make(top, "check", f"EX={name}")
        assert failed.code == 0 and "\nNot yet." in failed.out, failed
    lock = top / "stages/my_odd_seconds/lock.c"
    lock.write_text(lock.read_text().replace("lease_ms / 1000", "(lease_ms + 999) / 1000"))
    passed = make(top, "check", "EX=odd_seconds")
    assert "\nDone. make exercises shows" in passed.out, passed
    assert make(top, "mine").code == 0
    said = make(top, "check").out
    assert re.search(r"^stage9 +\d+ of \d+ ", said, re.M) and "Your lock is no stage yet" in said, said
    assert run(top / "scenarios/matrix", cwd=top).code == 0


def test_wrong_use(tmp_path):
    (tmp_path / "it").write_text("")
    for words, error in (([], "DIR names the folder: make handout DIR=../class"),
                         ([f"DIR={tmp_path}"], f"{tmp_path} is there already: DIR names a folder that is "
                                               "new or empty"),
                         ([f"DIR={tmp_path / 'new'}", "ASSIGNMENT=no.toml"],
                          "cannot read no.toml: No such file or directory")):
        finished = make(ROOT, "handout", *words)
        assert finished.code == 2 and finished.err.splitlines()[0] == f"handout: {error}", finished
    assert not (tmp_path / "new").exists()
