"""make grade: points for what a lock does, and for nothing else; to each student the own."""

import hashlib
import os
import shutil
import sys
from pathlib import Path

import pytest

import exercises
from lockstep import ROOT, run

GRADE = [sys.executable, ROOT / "tests/grade.py"]
SOUND = (ROOT / "stages/stage5_token_lua/lock.c").read_text()


def grade(*words, **more):
    return run(*GRADE, *words, **more)


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
        "student  points   lost\n"
        "lock     0 of 10  odd_lease, what must not turn\n\n"
        "odd_seconds: 0 of 10\n"
        "    odd_lease                        0 of 6   broken\n"
        "        ./scenarios/odd_lease --stage my_odd_seconds\n"
        "    what must not turn               0 of 4   not tried\n"), starter
    (tmp_path / "lock.c").write_text((ROOT / "stages/stage4_set_nx_ex/lock.c").read_text())
    solved = grade("--exercise", "odd_seconds", tmp_path / "lock.c")
    assert solved.out.startswith("student  points    lost\nlock     10 of 10\n"), solved


# --- students who do not play fair -------------------------------------------

ASSIGNMENT = """
title = "two locks"
may_use = ["fork", "kill"]
[limits]
compile_s = 2
run_s = 3
[[task]]
name = "lock"
points = 3
[task.races]
two_processes = 1
expired_delete = 2
"""


def attack(body):
    """A sound lock that does something else first."""
    start = SOUND.index("{\n", SOUND.index("enum lock_result lock_acquire(")) + 2
    names = ("fcntl.h", "signal.h", "stdio.h", "unistd.h")
    return ("".join(f"#include <{name}>\n" for name in names) + SOUND[:start] + body + "\n"
            + SOUND[start:])


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

RUNNERS = [ROOT / "scenarios/two_processes", ROOT / "scenarios/matrix", ROOT / "tests/matrix.txt"]
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
    "fork_bomb": attack("for (;;) fork();"),
    "kills_all": attack("kill(-1, SIGKILL);"),
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


@WAYS
def test_an_attack_costs_its_student_the_points_and_nobody_else(way, tmp_path, assignment):
    fair = {"anna": SOUND, "fred": SOUND, "zoe": SOUND}
    before = hashes(RUNNERS)
    students = hand_in(tmp_path / "class", fair | HOSTILE)
    finished = grade(*way, "--assignment", assignment, "--class", students, "--format", "csv")
    assert finished.code == 0, finished
    points = dict(line.split(",")[:2] for line in finished.out.splitlines()[1:])
    assert points == {name: "0" for name in HOSTILE} | {name: "3" for name in fair}, finished
    assert hashes(RUNNERS) == before and not processes("my_lock")
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
    assert "leaves   3 of 3\n" in finished.out and not processes("my_lock"), finished
    assignment.write_text(ASSIGNMENT.replace("may_use", "# may_use"))
    refused = grade(*way, "--assignment", assignment, "--class", students)
    assert "leaves   0 of 3  uses fork: no lock needs that\n" in refused.out, refused


@pytest.mark.skipif(not has_bubblewrap(), reason="no bubblewrap")
def test_the_expected_verdicts_are_not_to_be_found(tmp_path, assignment):
    """Neither by the compiler nor by the client; nor is there a network, or another student."""
    other = tmp_path / "class/anna.c"
    secret = tmp_path / "secret"
    secret.write_text("")
    found = " || ".join(f'access("{path}", F_OK) == 0' for path in
                        (ROOT / "tests/matrix.txt", other, secret, "/etc/passwd", "/root"))
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
    (students / "carl/my_lock").symlink_to(students)
    os.mkfifo(students / "dora.c")
    (students / "emil").mkdir()
    (students / "fred.c").write_text("/" * 300000)
    finished = grade("--assignment", assignment, "--class", students)
    for line in ("anna     3 of 3\n", "bob      0 of 3  lock.c is no file\n",
                 "carl     0 of 3  lock.c cannot be read: ", "dora     0 of 3  dora.c is no file\n",
                 "emil     0 of 3  lock.c is missing\n", "fred     0 of 3  fred.c has more than 256 KB\n"):
        assert line in finished.out, finished
