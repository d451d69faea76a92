"""Reports, as published readers of their formats read them: Perl's TAP::Parser (which prove is made
of), tap-parser and junit2json from npm, junitparser from Debian; and workflows, by their schema.
What the fields of a report are is looked at in test_grade.py."""

import base64
import os
import shutil
import sys

import pytest

from grading import reports
from grades_of_tests import MADE, classes, matrix, results
from lockstep import ROOT, run

FOLDER = ROOT / "tests/formats"
HERE = {
    "TAP::Parser": run("perl", "-MTAP::Parser", "-MJSON::PP", "-e1").code == 0 if shutil.which("perl") else False,
    "npm": shutil.which("node") is not None and (FOLDER / "node_modules").exists(),
    "action-validator": shutil.which("node") is not None
                        and (FOLDER / "node_modules/@action-validator/core").exists(),
    "junitparser": run(sys.executable, "-c", "import junitparser").code == 0,
}


def needs(name):
    return pytest.mark.skipif(not HERE[name], reason=f"{name} is missing: common/setup.sh install formats")


def read(text, *command):
    finished = run(*command, input=text)
    assert (finished.code, finished.err) == (0, ""), finished
    return finished.document


TAP = {"TAP::Parser": ["perl", FOLDER / "tap.pl"], "npm": ["node", FOLDER / "read.mjs", "tap"]}
TAP_READERS = [pytest.param(command, marks=needs(name), id=name) for name, command in TAP.items()]


def checks(students):
    return [(task, check) for student in students for task in student["tasks"] for check in task["checks"]]


# --- TAP ---------------------------------------------------------------------

@pytest.mark.parametrize("command", TAP_READERS)
def test_tap_of_grades(command):
    for students in classes():
        said = read(reports.report("tap", "title", students), *command)
        expected = [reports.passed(check) for _, check in checks(students)]
        assert (said["failures"], said["strange"], said["planned"]) == ([], [], len(expected)), said
        assert [point["ok"] for point in said["points"]] == expected
        assert [point["id"] for point in said["points"]] == list(range(1, len(expected) + 1))


@needs("npm")
def test_names_and_messages_come_through():
    for students in classes():
        said = read(reports.report("tap", "title", students), *TAP["npm"])
        for point, (task, check) in zip(said["points"], checks(students), strict=True):
            named = check["name"] if not check["hidden"] else "hidden"
            assert f": {task['task']}: {named}" in point["name"]
            if check["hidden"] or point["ok"]:
                continue
            assert point["diag"] == {"message": reports.why(task, check)}


@pytest.mark.parametrize("command", TAP_READERS)
def test_tap_of_the_matrix(command):
    said = read(matrix("tap"), *command)
    assert (said["failures"], said["strange"], said["planned"]) == ([], [], 6), said
    assert [(point["ok"], point["skip"]) for point in said["points"]] == [
        (False, False), (True, True), (True, False), *3 * [(True, False)]]


@pytest.mark.parametrize("command", TAP_READERS)
def test_tap_of_the_tests(command, tmp_path):
    (tmp_path / "test_it.py").write_text("import pytest\ndef test_b(): assert 0\ndef test_a(): pytest.skip()\n")
    run(sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", "--tap", tmp_path / "out",
        tmp_path, cwd=ROOT / "tests", env={"PYTHONPATH": str(ROOT / "tests")})
    said = read((tmp_path / "out").read_text(), *command)
    assert (said["failures"], said["strange"], said["planned"]) == ([], [], 2), said
    assert [(point["ok"], point["skip"]) for point in said["points"]] == [(True, True), (False, False)]


# --- JUnit XML ---------------------------------------------------------------

# [(suite, tests, failures, [(case, what is wrong with it)])], from each reader.

def read_by_junitparser(text):
    from junitparser import JUnitXml
    return [(suite.name, suite.tests, suite.failures,
             [(case.name, [type(one).__name__.lower() for one in case.result]) for case in suite])
            for suite in JUnitXml.fromstring(text.encode())]


def read_by_npm(text):
    return [(suite["name"], suite["tests"], suite["failures"],
             [(case["name"], [kind for kind in ("failure", "skipped") if case.get(kind)])
              for case in suite["testcase"]])
            for suite in read(text, "node", FOLDER / "read.mjs", "junit")["testsuite"]]


JUNIT_READERS = [pytest.param(read_by_junitparser, marks=needs("junitparser"), id="junitparser"),
                 pytest.param(read_by_npm, marks=needs("npm"), id="npm")]


@pytest.mark.parametrize("reader", JUNIT_READERS)
def test_junit_of_grades(reader):
    for students in classes():
        said = reader(reports.report("junit", "title", students))
        assert len(said) == len(students)
        for student, (name, tests, failures, cases) in zip(students, said, strict=True):
            passed = [reports.passed(check) for _, check in checks([student])]
            assert (name, tests, failures) == (reports.safe(student["student"]), len(passed), passed.count(False))
            assert [wrong for _, wrong in cases] == [[] if one else ["failure"] for one in passed]


@pytest.mark.parametrize("reader", JUNIT_READERS)
def test_junit_of_the_matrix(reader):
    passed = [(race, []) for race in ("expired_delete", "inner_release", "two_processes")]
    assert reader(matrix("junit")) == [
        ("stage4_set_nx_ex", 3, 1, [(passed[0][0], ["failure"]), (passed[1][0], ["skipped"]), passed[2]]),
        ("stage9_fencing", 3, 0, passed)]


# --- workflows ---------------------------------------------------------------

WORKFLOWS = [*ROOT.glob(".github/workflows/*.yml"), ROOT / "docs/assignments/classroom.yml"]


@needs("action-validator")
@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_follows_the_published_schema(path):
    validator = ["node", FOLDER / "read.mjs", "workflow"]
    assert read(path.read_text(), *validator)["errors"] == []
    assert read(path.read_text().replace("runs-on:", "run-on:"), *validator)["errors"] != []


# --- GitHub Classroom --------------------------------------------------------

# A clone of github.com/classroom-resources/autograding-grading-reporter with its packages (npm
# install): it is in no registry, so whoever has one names it.
REPORTER = os.environ.get("CLASSROOM_REPORTER")


@pytest.mark.skipif(not REPORTER, reason="CLASSROOM_REPORTER names no clone of autograding-grading-reporter")
def test_classroom():
    for students in ([MADE], results()["ladder"]["students"]):
        text = reports.report("classroom", "title", students)
        assert base64.b64decode(text)
        said = run("node", f"{REPORTER}/src/main.js", env={"GRADE_RESULTS": text.strip(), "INPUT_RUNNERS": "grade"})
        assert said.code == 1 and "::error::Some tests failed." in said.out, said
        passed = [reports.passed(check) for _, check in checks(students)]
        assert f"Grand total tests passed: {passed.count(True)}/{len(passed)}" in said.out
        assert "undefined" not in said.out  # its line of points counts tests, not their scores
        for task, check in checks(students):
            if not check["hidden"] and not reports.passed(check):
                assert f"Test code:\n{reports.why(task, check)}\n" in said.out
