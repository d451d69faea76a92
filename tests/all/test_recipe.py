"""docs/adding.md, followed to the letter in a copy of the tree."""

import re
import sys

from lockstep import ROOT, read_matrix, run

PAGE = (ROOT / "docs/adding.md").read_text()
HEAD_OF_TABLE = re.compile(r"^(?:race .*\n)+", re.M)


def code_block(language, number=0):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.S)[number]


def commands():
    return re.findall(r"^    (.*)$", re.sub(r"```.*?```", "", PAGE, flags=re.S), re.M)


def do(copy, command):
    interpreter = command.replace("/usr/bin/python3", sys.executable)
    return run("sh", "-c", interpreter, cwd=copy, timeout=None)


def add_rows(copy):
    """The page's row below the ladder's head, and a dot for every other lock."""
    def with_row(head):
        locks = [word for word in head[0].split() if word != "race"]
        row = " ".join(["forgotten_lock"] + ["."] * len(locks)) + "\n"
        return head[0] + (code_block("text") if locks[0] == "stage0" else row)

    table = copy / "common/catalogue/matrix.txt"
    table.write_text(HEAD_OF_TABLE.sub(with_row, table.read_text()))


def change_lock(copy):
    """The page's lines in place of stage 4's, and its head."""
    lock = copy / "stages/detours/detour_for_ever/lock.c"
    lines = code_block("diff").splitlines()
    old, new = ("".join(f"{line[1:]}\n" for line in lines if line[0] == sign) for sign in "-+")
    text = lock.read_text()
    assert text.count(old) == 1
    body = text.replace(old, new).split("#include", 1)[1]
    lock.write_text(f"{code_block('c', 1)}#include{body}")


def add_column(copy):
    """Stage 1's: it has no lease either. The tests of the copy say where that is wrong."""
    rows = [f"{race} {verdict}\n" for race, lock, verdict in read_matrix() if lock == "stage1"]
    with (copy / "common/catalogue/matrix.txt").open("a") as table:
        table.write("\nrace  detour_for_ever\nforgotten_lock BROKEN\n" + "".join(rows))


def test_a_race_is_one_file_and_a_lock_is_one_file(built_copy):
    copy = built_copy
    (copy / "scenarios/02_lease/forgotten_lock.c").write_text(code_block("c"))
    build, assert_row, at_the_end, copy_stage, make_lock, diff = commands()
    assert build == "make && ./scenarios/forgotten_lock --all"
    finished = do(copy, build)
    assert finished.code == 1, finished  # plain SETNX is broken
    assert "forgotten_lock on stage7_reentrant" in finished.out
    assert 'Lost because A\'s "SETNX lock locked" made a lock at 0.000 that' in finished.out

    add_rows(copy)
    finished = do(copy, assert_row)
    assert finished.code == 0 and " passed" in finished.out, finished

    assert at_the_end == "make docs && make test && make test-all"
    told = do(copy / "common/course", "/usr/bin/python3 -c 'import atlas; print(atlas.chapter(\"02_lease\"))'")
    assert "    ./scenarios/replay 'v1 stage1 A:enter A>< A:hang" in told.out, told

    assert do(copy, copy_stage).code == 0
    change_lock(copy)
    finished = do(copy, make_lock)
    assert finished.code == 1, finished
    assert "crash_holding on detour_for_ever" in finished.out
    assert "a lock at 0.000 that the server never ends" in " ".join(finished.out.split())
    finished = do(copy, diff)
    assert finished.code == 0 and "-                                    lock->key, lock->lease_s" in \
        finished.out, finished
    listed = run("./scenarios/list", cwd=copy)
    assert "forgotten_lock" in listed.out and "detour_for_ever" in listed.out

    add_column(copy)
    cells = "for_ever and (crash_holding or forgotten or expired_delete) or complete"
    finished = do(copy, f"/usr/bin/python3 -m pytest -q tests/test_matrix.py -k '{cells}'")
    assert finished.code == 0 and " passed" in finished.out, finished
    rest = "still_open and for_ever or small_diff and for_ever or straight_line and forgotten"
    (copy / "README.md").symlink_to(ROOT / "README.md")
    (copy / "docs").symlink_to(ROOT / "docs")
    finished = do(copy, f"/usr/bin/python3 -m pytest -q tests/test_guards.py -k '{rest}'")
    assert finished.code == 0 and "4 passed" in finished.out, finished
