"""make grade: what it refuses, and the form of its reports. (tests/all/test_grading.py grades.)"""

import base64
import csv
import re
import sys
from xml.etree import ElementTree

import pytest

import exercises
from grades_of_tests import MADE, grade, matrix
from grading import assignment as assignments
from grading import reports
from grading.marking import FAILURES
from grading.similar import similar
from lockstep import ROOT, lock_code, run

# --- formats -----------------------------------------------------------------

FOR_STUDENTS = ["junit", "tap", "gradescope", "classroom"]


def decoded(name, students):
    text = reports.report(name, "A title & more", students)
    return base64.b64decode(text).decode() if name == "classroom" else text


@pytest.mark.parametrize("name", FOR_STUDENTS)
def test_students_do_not_learn_what_is_hidden(name):
    text = decoded(name, [MADE])
    assert "lease_rounded_down" not in text and "hidden 1" in text and "two_processes" in text


@pytest.mark.parametrize("name", reports.FORMATS)
def test_nothing_that_a_student_writes_is_obeyed(name):
    assert not re.search(r"[^\n -~\u00fc]", decoded(name, [MADE]))


# Of junit-10.xsd (the xUnit plugin of Jenkins): the elements, and the attributes that they have to
# and may have.
JUNIT = {"testsuites": (set(), {"name", "time", "tests", "failures", "disabled", "errors"}),
         "testsuite": ({"name", "tests"}, {"failures", "errors", "time", "disabled", "skipped",
                                           "timestamp", "hostname", "id", "package"}),
         "testcase": ({"name"}, {"classname", "time", "status", "assertions", "class", "file", "line"}),
         "failure": (set(), {"type", "message"})}


def test_junit_of_the_matrix():
    top = ElementTree.fromstring(matrix("junit"))
    for element in top.iter():
        if element.tag != "skipped":
            assert set(element.attrib) <= set.union(*JUNIT[element.tag])
    assert [suite.attrib for suite in top] == [
        {"name": "stage4_set_nx_ex", "tests": "3", "failures": "1", "errors": "0", "skipped": "1"},
        {"name": "stage9_fencing", "tests": "3", "failures": "0", "errors": "0", "skipped": "0"}]
    assert [[child.tag for child in case] for case in top[0]] == [["failure"], ["skipped"], []]
    assert top[0][0][0].get("message") == "./scenarios/expired_delete --stage stage4_set_nx_ex"


def test_tap_of_the_matrix():
    assert matrix("tap").splitlines() == [
        "TAP version 13", "1..6",
        "not ok 1 - expired_delete on stage4_set_nx_ex: loses exclusion",
        "ok 2 - inner_release on stage4_set_nx_ex # SKIP it cannot happen",
        "ok 3 - two_processes on stage4_set_nx_ex",
        *(f"ok {place} - {race} on stage9_fencing" for place, race in
          enumerate(("expired_delete", "inner_release", "two_processes"), 4))]


def test_tap_of_the_tests(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        "@pytest.mark.parametrize('x', ['a#', '\\n'])\n"
        "def test_b(x): assert x == 'a#'\n"
        "def test_a(): pytest.skip()\n")
    finished = run(sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", "--tap",
                   tmp_path / "out", "--junitxml", tmp_path / "xml", tmp_path, cwd=ROOT / "tests",
                   env={"PYTHONPATH": str(ROOT / "tests")})
    assert finished.code == 1, finished
    points = [re.sub(r" - \S*::", " - ", line) for line in (tmp_path / "out").read_text().splitlines()]
    assert points == ["TAP version 13", "1..3", "ok 1 - test_a # SKIP", r"not ok 2 - test_b[\\\\n]",
                      r"ok 3 - test_b[a\#]"], points
    assert ElementTree.parse(tmp_path / "xml").getroot().tag == "testsuites"


# --- similar submissions -----------------------------------------------------

def rewritten(text):
    """Other names, other layout, other comments."""
    text = re.sub(r"\b(reply|lease|deadline|token)\b", r"my_\1", text)
    return "// Mine!\n" + re.sub(r"//.*", "/* why */", text).replace("    ", "\t").replace(") {", ")\n{")


def handed_in(folder, locks, task):
    folder.mkdir()
    for student, text in locks.items():
        (folder / f"{student}.c").write_text(text)
    path = folder.with_suffix(".toml")
    path.write_text(f"[[task]]\npoints = 10\nsimilar = 80\n{task}")
    return similar(assignments.read(path), assignments.submissions(folder))


def test_similar_submissions_are_named(tmp_path):
    given, anna = exercises.TEMPLATE.read_text(), lock_code("stage6_watchdog")
    found = handed_in(tmp_path / "class", {
        "anna": anna, "bob": rewritten(anna), "carl": lock_code("detour_getset_exact"), "dora": given,
        "emil": rewritten(given)}, "[task.races]\ntwo_processes = 1\n")
    assert [each["student"] for each in found["anna"]] == ["bob"]
    assert found["anna"][0]["percent"] == found["bob"][0]["percent"] >= 90
    assert not found["carl"] and not found["dora"] and not found["emil"], found


def test_what_was_given_out_is_not_similar(tmp_path):
    """Two have repaired the same starter, and much of it is the same in both."""
    name = "late_grant"
    solved = lock_code(exercises.find(name).goal)
    starter = exercises.find(name).starter()
    found = handed_in(tmp_path / "class", {"anna": solved, "bob": solved, "carl": starter, "dora": starter},
                      f"exercise = '{name}'\n")
    assert found == {"anna": [], "bob": [], "carl": [], "dora": []}


SIMILAR = [{**MADE, "student": one, "similar": [{"task": "lock", "student": other, "percent": 91}]}
           for one, other in (("anna", "bob"), ("bob", "anna"))]


def test_only_the_instructor_learns_who_is_similar():
    text = reports.report("text", "", SIMILAR)
    assert text.endswith("\nSimilar, apart from what was given out:\n    lock: anna and bob, 91 %\n")
    sheet = list(csv.reader(reports.report("csv", "", SIMILAR).splitlines()))
    assert [row[-1] for row in sheet] == ["similar", "lock: bob 91 %", "lock: anna 91 %"]
    for name in FOR_STUDENTS:
        some = SIMILAR[:1]
        assert "bob" not in decoded(name, some) and "91" not in decoded(name, some)
    assert "bob" not in "\n".join(reports.explained(SIMILAR[0], False))


# --- from one format to others -----------------------------------------------

def test_other_formats_come_from_a_report(tmp_path):
    kept = tmp_path / "report.json"
    kept.write_text(reports.report("json", "A title", SIMILAR))
    for name in ("text", "csv", "json", "junit", "tap"):
        finished = grade("--from", kept, "--format", name, "--feedback", tmp_path / "feedback")
        assert (finished.code, finished.out) == (0, reports.report(name, "A title", SIMILAR)), finished
    assert sorted(path.name for path in (tmp_path / "feedback").iterdir()) == ["anna.txt", "bob.txt"]
    kept.write_text(reports.report("json", "A title", SIMILAR[:1]))
    for name in reports.FOR_ONE:
        assert grade("--from", kept, "--format", name).out == reports.report(name, "A title", SIMILAR[:1])


@pytest.mark.parametrize("text, words, error", [
    ("{}", [], "FILE is no report of make grade FORMAT=json"),
    ("no", [], "FILE is no report of make grade FORMAT=json"),
    ('{"title": "", "students": [{"student": 3}]}', [], "FILE is no report of make grade FORMAT=json"),
    ('{"title": "", "students": []}', [], "FILE is no report of make grade FORMAT=json"),
    (None, ["--format", "gradescope"], "gradescope is for one submission, and FILE has 2"),
    (None, ["--times"], "FILE was made without TIMES=1 (--times)"),
    (None, ["lock.c"], "FROM (--from) is a report that is there already: nothing is handed in or asked "
                       "for beside it"),
])
def test_what_is_no_report(text, words, error, tmp_path):
    kept = tmp_path / "report.json"
    kept.write_text(reports.report("json", "", SIMILAR) if text is None else text)
    finished = grade("--from", kept, *words)
    assert (finished.code, finished.err) == (2, f"grade: {error}\n".replace("FILE", str(kept))), finished


# --- wrong use ---------------------------------------------------------------

@pytest.mark.parametrize("text, error", [
    ("", "this has no task"),
    ("task = 3", "this has no task"),
    ("[[tasks]]", "not of tasks"),
    ("x = [", "is no TOML: "),
    ("[limits]\nhours = 1\n[[task]]", "limits are compile_s, "),
    ("[[task]]", "points is a number from 0 to 10000"),
    ("[[task]]\npoints = true", "points is a number from 0 to 10000"),
    ("[[task]]\npoints = 1", "nothing is asked for: exercise = …, or [task.races]"),
    ("[[task]]\npoints = 1\nexercise = 'late'", "there is no exercise 'late': "),
    ("[[task]]\npoints = 1\nname = 'X'", "name is small letters"),
    ("[[task]]\npoints = 1\nname = 3", "name or file is a word without a folder"),
    ("[[task]]\npoints = 1\nfile = '../x.c'", "name or file is a word without a folder"),
    ("[[task]]\npoints = 1\n[task.races]\nlate = 1", "races is made of races, and 'late' is none"),
    ("[[task]]\npoints = 1\nraces = ['late']", "races is a table: "),
    ("[[task]]\npoints = 1\n[task.races]\nfailover = -1", "the weight of failover is a number"),
    ("[[task]]\npoints = 1\ngoal = 'stage77'", "goal is a lock of this repository"),
    ("[[task]]\npoints = 1\ngoal = 'stage4'\n[task.races]\nfailover = 1",
     "stage4 itself does not hold failover"),
    ("[[task]]\npoints = 1\nweight = 3\n[task.races]\nfailover = 1", "weight is exercise, name"),
    ("[[task]]\npoints = 1\nmust_not_turn = []\n[task.races]\nfailover = 1",
     "must_not_turn is for an exercise"),
    ("[[task]]\npoints = 1\nrest_points = 2\nexercise = 'late_grant'", "rest_points is a part of"),
    ("[[task]]\npoints = 1\n[task.search]\ndepth = 3", "search is made of bounds, "),
    ("[[task]]\npoints = 1\n[task.search]\nproperties = ['late']", "no promise 'late'"),
    ("[[task]]\npoints = 1\nsimilar = 101\n[task.races]\nfailover = 1", "similar is a number from 0 to 100"),
    ("[[task]]\npoints = 1\nsearch = 3", "a value is of another kind than it should be"),
    ("limits = 3\n[[task]]", "a value is of another kind than it should be"),
    (2 * "[[task]]\npoints = 1\nexercise = 'late_grant'\n", "two tasks have the same name"),
])
def test_an_assignment_that_says_something_else(text, error, tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(exercises.Refused) as refused:
        assignments.read(path)
    assert error in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("words, error", [
    (["lock.c"], "what is asked for? EX=late_grant (--exercise) or ASSIGNMENT=FILE (--assignment), "
                 "one of them"),
    (["--exercise", "late_grant", ""], "what is handed in? SUBMISSION=lock.c, or SUBMISSIONS=FOLDER "
                                       "with a file or a folder for each student, one of them"),
    (["--exercise", "late_grant", "--class", "docs", "lock.c"],
     "what is handed in? SUBMISSION=lock.c, or SUBMISSIONS=FOLDER with a file or a folder for each "
     "student, one of them"),
    (["--exercise", "late_grant", "README.md", "--output", "nowhere/marks.txt"],
     "cannot write nowhere/marks.txt: name a file in a folder that there is"),
    (["--exercise", "late_grant", "README.md", "--output", "docs"],
     "cannot write docs: name a file in a folder that there is"),
    (["--exercise", "late_grant", "README.md", "--feedback", "README.md"],
     "README.md is no folder: the feedback is a file for each student"),
    (["--exercise", "late_grant", "nothing.c"], "there is no nothing.c"),
    (["--exercise", "nothing", "x.c"], "there is no exercise 'nothing': make exercises shows them all"),
    (["--assignment", "no.toml", "x.c"], "cannot read no.toml: No such file or directory"),
    (["--exercise", "late_grant", "--class", "README.md"], "README.md is no folder: SUBMISSIONS names "
     "one with a file or a folder for each student"),
    (["--exercise", "late_grant", "--class", "docs", "--format", "gradescope"],
     "gradescope is for one submission, not for a class (--class, SUBMISSIONS=)"),
    (["--exercise", "late_grant", "--class", "docs/pictures"], "docs/pictures has no file NAME.c and "
     "no folder: one for each student"),
])
def test_wrong_use(words, error):
    finished = grade(*words)
    assert (finished.code, finished.out, finished.err) == (2, "", f"grade: {error}\n"), finished


# --- the page ----------------------------------------------------------------

PAGE = (ROOT / "docs/instructors.md").read_text()


def test_the_page_is_read_in_a_sitting():
    assert len(PAGE.split()) <= 1500


def test_the_page_explains_each_word_of_an_assignment():
    """Those that a refused one is shown, and the limits."""
    with pytest.raises(exercises.Refused) as refused:
        assignments.Task({"points": 1, "races": {"failover": 1}, "no": 1}, "a task")
    words = set(re.findall(r"\w+", str(refused.value).partition(" is ")[2])) - {"or"}
    assert {"exercise", "search", "similar"} <= words
    told = set(re.findall(r"^\| (`.*?`) \|", PAGE, re.M))
    told = set(re.findall(r"\w+", " ".join(told)))
    assert words <= told | {"races", "hidden"} and set(assignments.LIMITS) <= set(re.findall(r"\w+", PAGE))


def test_the_page_explains_each_way_of_failing():
    told = set(re.findall(r"`([a-z ]+)`", re.search(r"has its word:\n\n((?:- .*\n)+)", PAGE)[1]))
    assert set(FAILURES) - {"fails"} | {"broken", "cannot", "not tried"} == told


# --- the workflows -----------------------------------------------------------

WORKFLOWS = [*ROOT.glob(".github/workflows/*.yml"), ROOT / "docs/assignments/classroom.yml"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_is_one(path):
    yaml = pytest.importorskip("yaml")
    document = yaml.safe_load(path.read_text())
    assert {"name", "jobs", True} <= set(document)  # YAML takes "on" for a truth
    for job in document["jobs"].values():
        assert job["runs-on"] and all(("run" in step) != ("uses" in step) for step in job["steps"])
