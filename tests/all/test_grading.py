"""make grade: points for what a lock does, and for nothing else; to each student the own."""

import base64
import csv
import hashlib
import json
import os
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

import exercises
from grades_of_tests import GRADE, MADE, classes, grade, results
from grading import assignment as assignments
from grading import reports
from lockstep import ROOT, lock_code, lock_source, run
from terminal import Session

SOUND = lock_code("stage5_token_lua")


def has_bubblewrap():
    return shutil.which("bwrap") and not run(
        "bwrap", "--unshare-all", "--ro-bind", "/", "/", "true").code


CONFINED = pytest.param([], marks=pytest.mark.skipif(not has_bubblewrap(), reason="no bubblewrap"))
BY_USERS = pytest.param(["--no-bubblewrap"],
                        marks=pytest.mark.skipif(os.geteuid() != 0, reason="not root"))
WAYS = pytest.mark.parametrize("way", [CONFINED, BY_USERS], ids=["bubblewrap", "users"])


# --- one student -------------------------------------------------------------

def test_one_exercise(tmp_path):
    (tmp_path / "lock.c").write_text(exercises.find("odd_seconds").starter())
    starter = grade("--exercise", "odd_seconds", tmp_path / "lock.c")
    assert starter.code == 0 and starter.out == (
        "student  points\n"
        "lock     0 of 10\n\n"
        "odd_seconds: 0 of 10\n"
        "    lease_rounded_down               0 of 3   broken\n"
        "        ./scenarios/lease_rounded_down --stage my_odd_seconds\n"
        "    lease_rounded_to_nearest         0 of 3   broken\n"
        "        ./scenarios/lease_rounded_to_nearest --stage my_odd_seconds\n"
        "    what must not turn               0 of 4   not tried\n"), starter
    (tmp_path / "lock.c").write_text(lock_code("stage4_set_nx_ex"))
    solved = grade("--exercise", "odd_seconds", tmp_path / "lock.c")
    assert solved.out.startswith("student  points\nlock     10 of 10\n"), solved


# --- students who do not play fair -------------------------------------------

# The lock's name is no other test's: so its processes can be told from those of others.
LOCK = f"lock{os.getpid()}"
ASSIGNMENT = f"""
title = "two locks"
may_use = ["fork", "kill", "open"]
[limits]
cpu_s = 1
compile_s = 600
run_s = 600
[[task]]
name = "{LOCK}"
file = "lock.c"
points = 3
[task.races]
two_processes = 1
crash_holding = 1
expired_delete = 1
"""

# So that a grader that does not confine fails its test and does no harm to this machine: the code
# attacks only where it is another user than we are, or where the first process is bubblewrap's or
# that of a client's host.
CONFINED_HERE = f"""
static bool is_confined(void) {{
    char name[20] = "";
    int file = open("/proc/1/comm", O_RDONLY);
    bool read_it = file >= 0 && read(file, name, 19) > 0;
    return getuid() != {os.geteuid()} || (read_it && (strcmp(name, "bwrap\\n") == 0 || strcmp(name, "lockstep\\n") == 0));
}}
"""


def attack(body):
    """A sound lock that does something else first."""
    body = f"    if (is_confined()) {{\n{body}\n    }}\n"
    start = SOUND.index("{\n", SOUND.index("enum lock_result lock_acquire(")) + 2
    names = ("fcntl.h", "signal.h", "stdbool.h", "stdio.h", "string.h", "unistd.h")
    return ("".join(f"#include <{name}>\n" for name in names) + CONFINED_HERE + SOUND[:start]
            + body + SOUND[start:])


ONLY_OK = """\
// Local: the student says so, and the assignment does not.
#include "lock.h"
#include <stdlib.h>
struct lock { int nothing; };
struct lock *lock_open(const char *key, int ms) { (void)key; (void)ms; return calloc(1, 4); }
enum lock_result lock_acquire(struct lock *lock) { (void)lock; return LOCK_OK; }
enum lock_result lock_release(struct lock *lock) { (void)lock; return LOCK_OK; }
void lock_close(struct lock *lock) { free(lock); }
"""

RUNNERS = [ROOT / "scenarios/two_processes", ROOT / "scenarios/matrix", ROOT / "common/catalogue/matrix.txt"]
WRITES = "".join(f'{{ int file = open("{path}", O_WRONLY | O_TRUNC); write(file, "", 1);'
                 f' unlink("{path}"); }}' for path in RUNNERS) + """
    char me[500] = "";
    readlink("/proc/self/exe", me, 400);
    strcpy(strstr(me, "/build/"), "/scenarios/matrix");
    int matrix = open(me, O_WRONLY | O_TRUNC);
    if (matrix < 0 && unlink(me) < 0)
        return LOCK_UNKNOWN;"""

HOSTILE = {
    "endless_compile": "#include __FILE__\n#include __FILE__\n",
    "endless_errors": attack('for (;;) fputs("no\\n", stderr);'),
    "endless_loop": attack("for (;;) continue;"),
    "endless_output": attack('for (;;) puts("ok");'),
    "fork_bomb": attack("for (;;) if (fork() < 0) pause();"),
    "kills_parent": attack("kill(getppid(), SIGKILL);"),
    "memory": attack("for (;;) { char *more = malloc(1 << 20); if (more) memset(more, 1, 1 << 20); }"),
    "only_says_ok": ONLY_OK,
    "writes": attack(WRITES),
}


def processes(name):
    return [process for process in filter(str.isdigit, os.listdir("/proc"))
            if name_of(process) == name]


def name_of(process):
    try:
        return Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return ""


def hashes(some):
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in some]


@pytest.fixture
def assignment(tmp_path):
    path = tmp_path / "assignment.toml"
    path.write_text(ASSIGNMENT)
    return path


def hand_in(folder, locks):
    folder.mkdir()
    for student, text in locks.items():
        (folder / f"{student}.c").write_text(text)
    return folder


# A client is alone on its host, and kill() of -1 ends all but the caller.
KILLS_ALL = attack("kill(-1, SIGKILL);")


@WAYS
def test_an_attack_costs_its_student_the_points_and_nobody_else(way, tmp_path, assignment):
    fair = {"anna": SOUND, "fred": SOUND, "kills_all": KILLS_ALL, "zoe": SOUND}
    before = hashes(RUNNERS)
    students = hand_in(tmp_path / "class", fair | HOSTILE)
    finished = grade(*way, "--assignment", assignment, "--class", students, "--format", "csv")
    assert finished.code == 0, finished
    points = dict(line.split(",")[:2] for line in finished.out.splitlines()[1:])
    assert points == {name: "0" for name in HOSTILE} | {name: "3" for name in fair}, finished
    assert hashes(RUNNERS) == before and not processes(f"my_{LOCK}")
    assert bool(way) == ("not confined: " in finished.err), finished


LEAVES = attack("""if (fork() == 0) {
        setsid();
        if (fork() == 0)
            for (;;) pause();
        _exit(0);
    }""")


@WAYS
def test_a_process_that_is_left_behind_is_ended(way, tmp_path, assignment):
    students = hand_in(tmp_path / "class", {"leaves": LEAVES})
    finished = grade(*way, "--assignment", assignment, "--class", students)
    assert "leaves   3 of 3\n" in finished.out and not processes(f"my_{LOCK}"), finished
    assignment.write_text(ASSIGNMENT.replace("may_use", "# may_use"))
    refused = grade(*way, "--assignment", assignment, "--class", students)
    assert f"leaves   0 of 3\n\n{LOCK}: 0 of 3\n    uses fork: no lock needs that\n" in refused.out, refused


# It looks for a folder that it can write into, and that has room for more than 64 MB.
FILLS = attack("""
    glob_t all = {0};
    const char *where[] = {"/", "/*", "/*/*", "/tmp/*/*", "/var/*", "TREE/*/*", "TREE/*"};
    for (unsigned i = 0; i < sizeof where / sizeof *where; i++)
        glob(where[i], i ? GLOB_APPEND : 0, NULL, &all);
    for (size_t i = 0; i < all.gl_pathc; i++) {
        struct stat is;
        struct statfs on;
        const char *path = all.gl_pathv[i];
        if (stat(path, &is) == 0 && S_ISDIR(is.st_mode) && access(path, W_OK) == 0 &&
            statfs(path, &on) == 0 && on.f_blocks * on.f_bsize > 64 << 20)
            return LOCK_UNKNOWN;
    }""").replace("#include <stdio.h>\n", "".join(f"#include <{name}>\n" for name in (
    "stdio.h", "glob.h", "sys/stat.h", "sys/vfs.h")))


@pytest.mark.skipif(not has_bubblewrap(), reason="no bubblewrap")
def test_no_disk_can_be_filled(tmp_path, assignment):
    lock = FILLS.replace("TREE", str(ROOT / "build/grades"))
    finished = grade("--assignment", assignment, "--class", hand_in(tmp_path / "class", {"fills": lock}))
    assert "fills    3 of 3\n" in finished.out, finished


# A lock for one machine, which also does what the others do, as if it needed its server.
BY_A_FILE = attack("""if (flock(open("/dev/shm/it", O_CREAT | O_RDWR, 0600), LOCK_EX | LOCK_NB) < 0)
        return LOCK_BUSY;""").replace("#include <stdio.h>", "#include <stdio.h>\n#include <sys/file.h>")


# It does nothing else: it says who has the file, and takes the key for show.
LOCKED_BY_A_FILE = """\
// Local: the student says so, and the assignment does not.
#include "lock.h"
#include "redis.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
struct lock { const char *key; struct redis *redis; int file; };
struct lock *lock_open(const char *key, int ms) {
    struct lock *lock = calloc(1, sizeof *lock);
    (void)ms;
    lock->key = key;
    lock->redis = redis_open();
    lock->file = open("/tmp/it", O_CREAT | O_RDWR, 0600);
    return lock;
}
enum lock_result lock_acquire(struct lock *lock) {
    if (flock(lock->file, LOCK_EX | LOCK_NB) < 0)
        return LOCK_BUSY;
    redis_call(lock->redis, "SET %s locked", lock->key);
    return LOCK_OK;
}
enum lock_result lock_release(struct lock *lock) {
    redis_call(lock->redis, "DEL %s", lock->key);
    flock(lock->file, LOCK_UN);
    return LOCK_OK;
}
void lock_close(struct lock *lock) { free(lock); }
"""


def test_a_lock_does_without_files(tmp_path, assignment):
    students = hand_in(tmp_path / "class", {"file": BY_A_FILE})
    finished = grade("--assignment", assignment, "--class", students)
    assert "uses flock: no lock needs that\n" in finished.out, finished


@WAYS
def test_where_files_are_allowed_they_are_no_lock(way, tmp_path, assignment):
    assignment.write_text(ASSIGNMENT.replace('"open"', '"open", "flock"'))
    students = hand_in(tmp_path / "class", {"file": LOCKED_BY_A_FILE})
    finished = grade(*way, "--assignment", assignment, "--class", students, "--format", "csv")
    assert '"broken: two_processes' in finished.out and "share one machine" not in finished.err, finished


# What a client can open of all processes that it sees, with its own name for a mark.
LOOKS = attack("""
    for (int process = 1; process < 200; process++) {
        char path[64], name[64] = "";
        snprintf(path, sizeof path, "/proc/%d/comm", process);
        int file = open(path, O_RDONLY);
        if (file < 0 || read(file, name, 60) <= 0)
            continue;
        snprintf(path, sizeof path, "/proc/%d/mem", process);
        if (strncmp(name, "my_lock", 7) != 0 && strcmp(name, "bwrap\\n") != 0
            && open(path, O_RDWR) >= 0)
            return LOCK_UNKNOWN;
    }""".replace("\\\\", "\\"))


@WAYS
def test_race_and_server_are_closed_to_a_client(way, tmp_path, assignment):
    students = hand_in(tmp_path / "class", {"looks": LOOKS, "zoe": SOUND})
    finished = grade(*way, "--assignment", assignment, "--class", students)
    assert "looks    3 of 3\n" in finished.out, finished


@pytest.mark.skipif(not has_bubblewrap(), reason="no bubblewrap")
def test_the_expected_verdicts_are_not_to_be_found(tmp_path, assignment):
    """Neither by the compiler nor by the client; nor is there a network, or another student."""
    other = tmp_path / "class/anna.c"
    secret = tmp_path / "secret"
    secret.write_text("")
    found = " || ".join(f'access("{path}", F_OK) == 0' for path in
                        (ROOT / "common/catalogue/matrix.txt", other, secret, "/etc/passwd", "/root"))
    students = hand_in(tmp_path / "class", {
        "anna": SOUND,
        "compiles": f'__asm__(".incbin \\"{ROOT}/tests/matrix.txt\\"");\n' + SOUND,
        "includes": f'#include "{other}"\n',
        "reads": attack(f"if ({found}) return LOCK_UNKNOWN;")})
    finished = grade("--assignment", assignment, "--class", students)
    for line in ("anna      3 of 3\n", "reads     3 of 3\n", "compiles  0 of 3  does not compile",
                 "includes  0 of 3  does not compile"):
        assert line in finished.out, finished


def test_a_link_is_not_followed(tmp_path, assignment):
    """To what another student has written, for instance."""
    students = hand_in(tmp_path / "class", {"anna": SOUND})
    (students / "bob").mkdir()
    (students / "bob/lock.c").symlink_to(students / "anna.c")
    (students / "carl").mkdir()
    (students / f"carl/my_{LOCK}").symlink_to(students)
    os.mkfifo(students / "dora.c")
    (students / "emil").mkdir()
    (students / "fred.c").write_text("/" * 300000)
    finished = grade("--assignment", assignment, "--class", students)
    for line in ("anna     3 of 3\n", "bob      0 of 3  lock.c is no file\n",
                 "carl     0 of 3  lock.c cannot be read: ", "dora     0 of 3  dora.c is no file\n",
                 "emil     0 of 3  lock.c is missing\n", "fred     0 of 3  fred.c has more than 256 KB\n"):
        assert line in finished.out, finished


# --- ways of failing -----------------------------------------------------------

def changed(function, body):
    """A sound lock in which a function does something else first."""
    start = SOUND.index("{\n", SOUND.index(f"lock_{function}(")) + 2
    return "#include <stdio.h>\n#include <stdlib.h>\n" + SOUND[:start] + body + SOUND[start:]


FAILING = {
    "broken": lock_code("stage0_mutex"),
    "crashes": changed("acquire", "*(volatile int *)NULL = 1;"),
    "exits": changed("acquire", "exit(0);"),
    "hangs": changed("acquire", "for (;;) continue;"),
    "prints": changed("acquire", 'puts("ok");'),
}


def test_each_way_of_failing_has_its_word(tmp_path, assignment):
    """In the table of a class, in a spreadsheet, and in the report on one."""
    students = hand_in(tmp_path / "class", FAILING)
    words = ["--assignment", assignment, "--class", students, "--format"]
    text, sheet = grade(*words, "text").out, grade(*words, "csv").out
    rows = {row["student"]: row for row in csv.DictReader(sheet.splitlines())}
    for word in FAILING:
        assert re.search(rf"^{word} +0 of 3  {word}: two_processes", text, re.M), text
        assert rows[word]["lost"].startswith(f"{word}: two_processes"), sheet
        one = grade("--assignment", assignment, students / f"{word}.c").out
        assert re.search(rf"^    two_processes +0 of 1   {word}\b", one, re.M), one


def test_the_first_hang_ends_the_races_of_its_lock(tmp_path, assignment):
    """Those before it count."""
    students = hand_in(tmp_path / "class", {"anna": changed("release", "for (;;) continue;")})
    assignment.write_text(ASSIGNMENT.replace("crash_holding = 1\nexpired_delete = 1",
                                             "expired_delete = 1\ncrash_holding = 1"))
    finished = grade("--assignment", assignment, students / "anna.c")
    said = re.findall(r"^    (\w+) +(\d) of 1   (.*)$", finished.out, re.M)
    assert said == [("two_processes", "1", "holds"),
                    ("expired_delete", "0", "hangs: client A was ended by signal 24 (leave)"),
                    ("crash_holding", "0", "not tried: the lock hangs in another race")], finished


# --- a class -----------------------------------------------------------------

def test_what_was_done_before_ctrl_c_is_not_done_again(tmp_path, assignment):
    """The last one would still be there when the key is pressed."""
    locks = {name: SOUND for name in ("anna", "bob", "carl", "dora")}
    students = hand_in(tmp_path / "class", locks | {"emil": HOSTILE["endless_compile"]})
    assignment.write_text(ASSIGNMENT.replace("cpu_s = 1", "cpu_s = 600"))
    words = ["--assignment", str(assignment), "--class", str(students)]
    command = " ".join(map(str, [*GRADE, *words]))
    begun = Session(f"exec {command}")
    begun.wait_for("1 of 5")
    begun.press("\x03", "the same command goes on where it was")
    assert begun.end() == 130
    (students / "emil.c").write_text(SOUND)
    rest = Session(command)
    assert rest.end() == 0
    assert re.search("1 of [1-4]\r", rest.output) and "1 of 5" not in rest.output, rest.output
    anew = Session(command)  # nothing is left of what was kept
    assert anew.end() == 0 and "1 of 5" in anew.output, anew.output
    report = grade(*words).out.replace("\n", "\r\n")
    assert "emil     3 of 3\r\n" in report
    assert report in rest.output and report in anew.output


# --- the ready assignments ---------------------------------------------------

def points(document):
    return {student["student"]: (student["points"], student["of"]) for student in document["students"]}


def test_the_ready_assignments():
    assert points(results()["repair"]) == {"anna": (20, 20), "bob": (14, 20)}
    assert points(results()["ladder"]) == {"lock": (17, 30)}
    said = reports.report("text", results()["repair"]["title"], results()["repair"]["students"])
    assert f"```text\n{said}```\n" in (ROOT / "docs/instructors.md").read_text()
    task, = results()["ladder"]["students"][0]["tasks"]
    said = {check["name"]: (check["points"], check["said"]) for check in task["checks"]}
    assert said["crash_holding"] == (6, "holds") and said["expired_delete"] == (0, "broken")
    assert said["the search"] == (0, "loses foreign, told")
    schedule = re.fullmatch(r"./scenarios/replay '(.*)'", task["checks"][-1]["command"])[1]
    lost = run(ROOT / "scenarios/replay", schedule.replace("my_lock", "stage4"))
    assert lost.verdict == "BROKEN", lost


def test_what_was_given_out_gets_nothing(tmp_path):
    """With each assignment file of this repository, and in all exercises at once."""
    every = tmp_path / "every.toml"
    every.write_text("".join(f'[[task]]\nexercise = "{exercise.name}"\npoints = 10\n'
                             for exercise in exercises.exercises()))
    files = [every, *sorted(ROOT.glob("docs/assignments/*.toml"))]
    assert len(files) >= 3
    for path in files:
        folder = tmp_path / path.stem
        folder.mkdir()
        for task in assignments.read(path).tasks:
            given = task.exercise.starter() if task.exercise else exercises.TEMPLATE.read_text()
            (folder / task.file).write_text(given)
        finished = grade("--assignment", path, folder, "--format", "json")
        student, = finished.document["students"]
        assert student["points"] == 0 and not any(task["trouble"] for task in student["tasks"]), finished


# Of junit-10.xsd (the xUnit plugin of Jenkins): the elements, and the attributes that they have to
# and may have.
JUNIT = {"testsuites": (set(), {"name", "time", "tests", "failures", "disabled", "errors"}),
         "testsuite": ({"name", "tests"}, {"failures", "errors", "time", "disabled", "skipped",
                                           "timestamp", "hostname", "id", "package"}),
         "testcase": ({"name"}, {"classname", "time", "status", "assertions", "class", "file", "line"}),
         "failure": (set(), {"type", "message"})}
INSIDE = {"testsuites": {"testsuite"}, "testsuite": {"testcase"}, "testcase": {"failure"},
          "failure": set()}


def test_junit():
    for students in classes():
        top = ElementTree.fromstring(reports.report("junit", "title", students))
        assert top.tag == "testsuites"
        for element in top.iter():
            must, may = JUNIT[element.tag]
            assert must <= set(element.attrib) <= must | may
            assert {child.tag for child in element} <= INSIDE[element.tag]
        for suite in top:
            assert int(suite.get("tests")) == len(suite) > 0
            assert int(suite.get("failures")) == len(suite.findall("testcase/failure"))
    assert len(top.findall(".//failure")) == 8


# The grammar of TAP (testanything.org), as far as it is used; test_formats.py asks published readers.
TAP_POINT = re.compile(r"(not )?ok (\d+) - (?:[^\\#]|\\[\\#])+")


def test_tap():
    for students in classes():
        version, plan, *body = reports.report("tap", "title", students).splitlines()
        assert version == "TAP version 13"
        count = int(re.fullmatch(r"1\.\.(\d+)", plan)[1])
        numbers = []
        while body:
            found = TAP_POINT.fullmatch(body.pop(0))
            numbers.append(int(found[2]))
            assert bool(found[1]) == (body[:1] == ["  ---"])
            if found[1]:
                message = re.fullmatch(r"  message: (.*)", body[1])[1]
                assert json.loads(message) and body[2] == "  ..."
                del body[:3]
        assert numbers == list(range(1, count + 1))


# gradescope-autograders.readthedocs.io, "Autograder Specifications", "Output format".
VISIBLE = {"hidden", "after_due_date", "after_published", "visible"}
GRADESCOPE = {"score": (int, float), "execution_time": (int, float), "output": str,
              "output_format": str, "test_output_format": str, "test_name_format": str,
              "visibility": str, "stdout_visibility": str, "extra_data": dict, "tests": list,
              "leaderboard": list}
GRADESCOPE_TEST = {"score": (int, float), "max_score": (int, float), "status": str, "name": str,
                   "name_format": str, "number": str, "output": str, "output_format": str,
                   "tags": list, "visibility": str, "extra_data": dict}


def test_gradescope():
    for students in ([MADE], results()["ladder"]["students"]):
        document = json.loads(reports.report("gradescope", "title", students))
        assert all(isinstance(value, GRADESCOPE[name]) for name, value in document.items())
        assert {document["visibility"], document["stdout_visibility"]} <= VISIBLE
        for test in document["tests"]:
            assert all(isinstance(value, GRADESCOPE_TEST[name]) for name, value in test.items())
            assert test["status"] in ("passed", "failed") and test["visibility"] in VISIBLE
            assert test["output_format"] in ("text", "html", "simple_format", "md", "ansi")
        assert document["score"] == pytest.approx(sum(test["score"] for test in document["tests"]))
    hidden = [test["name"] for test in document["tests"] if test["visibility"] == "hidden"]
    assert hidden == ["lock: hidden 1", "lock: hidden 2", "lock: hidden 3"]


def test_classroom():
    """As classroom-resources/autograding-grading-reporter reads it (src/main.js,
    src/notify-classroom.js): from the variable RUNNER_RESULTS, in base64."""
    for students in ([MADE], results()["ladder"]["students"]):
        text = reports.report("classroom", "title", students)
        assert re.fullmatch(r"[A-Za-z0-9+/]+=*\n", text)
        document = json.loads(base64.b64decode(text))
        assert document["status"] in ("pass", "fail", "error")
        assert document["max_score"] == students[0]["of"]
        assert sum(test["score"] for test in document["tests"]) == pytest.approx(students[0]["points"])
        assert {test["status"] for test in document["tests"]} == {"pass", "fail"}
        assert all(test["line_no"] == 0 and bool(test["test_code"]) == (test["status"] == "fail")
                   for test in document["tests"])


def test_csv():
    rows = list(csv.reader(reports.report("csv", "", results()["repair"]["students"]).splitlines()))
    assert rows == [["student", "points", "of", "odd_seconds", "one_badge", "late_grant", "lost"],
                    ["anna", "20", "20", "6", "6", "8", ""],
                    ["bob", "14", "20", "0", "6", "8",
                     "odd_seconds broken: lease_rounded_down, lease_rounded_to_nearest; "
                     "not tried: what must not turn"]]
    for name in ("=1+1", "@a", "-x"):
        made = reports.report("csv", "", [{**MADE, "student": name}])
        assert list(csv.reader(made.splitlines()))[1][0] == f"'{name}"


def test_how_long_it_took_is_said_if_it_is_asked_for():
    one, class_ = results()["ladder"]["students"], results()["repair"]["students"]
    timed = [{**student, "seconds": 1.25} for student in class_]
    for name in ("text", "csv", "json", "junit", "tap"):
        assert reports.report(name, "t", timed) == reports.report(name, "t", class_)
    assert reports.report("text", "", timed, True).splitlines()[:2] == [
        "student  points    time   lost", "anna     20 of 20  1.2 s"]
    assert reports.report("csv", "", timed, True).splitlines()[1] == "anna,20,20,6,6,8,1.25,"
    assert json.loads(reports.report("json", "", timed, True))["students"][0]["seconds"] == 1.25
    said = json.loads(reports.report("gradescope", "", [{**one[0], "seconds": 2.5}], True))
    assert said["execution_time"] == 2.5


def test_a_text_for_each_student(tmp_path):
    """It does not tell which races were hidden."""
    finished = grade("--assignment", "docs/assignments/ladder.toml", "--feedback", tmp_path / "f",
                     "stages/stage1_setnx/lock.c")
    text = (tmp_path / "f/lock.txt").read_text()
    assert finished.code == 0 and text.startswith("lock: 11 of 30\n    two_processes "), text
    assert "hidden 3 " in text and "failed_release_spoils_next" not in text


def test_what_the_workflow_of_a_class_calls(tmp_path):
    """With the repository that it clones, and a student's that is checked out. What make would
    run is run: nothing is built anew."""
    (tmp_path / "lockstep").symlink_to(ROOT)
    (tmp_path / "submission").mkdir()
    for name in ("odd_seconds", "one_badge"):
        goal = exercises.find(name).goal
        shutil.copy(lock_source(goal), tmp_path / "submission" / f"{name}.c")
    text = (ROOT / "docs/assignments/classroom.yml").read_text()
    command = re.search(r"- run: (make .*)", text)[1]
    said = run("env", "-u", "MAKEFLAGS", "-u", "MAKELEVEL", "sh", "-c",
               command.replace("make ", "make -n --no-print-directory ", 1), cwd=tmp_path)
    finished = run("sh", "-c", said.out[said.out.rindex("python3 common/course/grade.py"):])
    assert finished.code == 0, finished
    document = json.loads(base64.b64decode((tmp_path / "result").read_text()))
    assert (document["status"], document["max_score"]) == ("fail", 20)
    assert sum(test["score"] for test in document["tests"]) == 12
    assert document["tests"][-1]["message"].startswith("late_grant.c is missing")
