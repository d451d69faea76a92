"""Other compilers and sanitizers, each in a copy of the tree: no warning, no
report, and the same table."""

import os
import shutil

import pytest

from lockstep import ROOT, races, read_matrix, run, short, without_property

# Every lock in some races, which together use all of its functions and all kinds of
# trouble; what runs around a lock is the same for all, and one rung shows it in half of the races.
SOME_RACES = ["expired_delete", "lost_release_answer", "nested_call", "release_twice",
              "restart_empty", "shared_handle", "silent_retake", "stop_the_world"]
# A lock's own threads do not know the race: each of these rungs in an eighth of them.
THREADED = [["--stage", stage, *races()[place::8]] for place, stage in enumerate("6789")]

# For each its options, and what the matrix is asked for.
BUILDS = {
    "gcc": (["CC=gcc"], [["--stage", "8", *SOME_RACES]]),
    "clang": (["CC=clang"], [["--stage", "8", *SOME_RACES]]),
    "address and undefined": (["SAN=1"], [["--stage", "8", *races()[::2]], ["--all", *SOME_RACES]]),
    "thread": (["SAN=thread"], THREADED),
}


def make(folder, *words):
    """As typed in a shell of its own: without what a make around us passes on."""
    own = {key: value for key, value in os.environ.items()
           if not key.startswith("MAKE") and key != "WERROR"}
    return run("env", "-i", *(f"{key}={value}" for key, value in own.items()), "make", *words,
               cwd=folder, timeout=None)


def same_compiler(one, other):
    """Are both names of one program?"""
    return os.path.realpath(shutil.which(one)) == os.path.realpath(shutil.which(other))


def check_table(copy, words):
    """It has the verdicts of common/catalogue/matrix.txt."""
    finished = run(copy / "scenarios/matrix", "--format", "tsv", *words, timeout=None)
    assert finished.code == 0, finished
    assert finished.err == ""
    head, *rows = (line.split("\t") for line in finished.out.splitlines())
    expected = {(race, short(lock)): verdict.lower() for race, lock, verdict in read_matrix()}
    cells = {(row[0], short(lock)): without_property(verdict) for row in rows
             for lock, verdict in zip(head[1:], row[1:], strict=True)}
    assert cells and cells == {cell: expected[cell] for cell in cells}


@pytest.mark.parametrize("name", BUILDS)
def test_build(copy, name):
    options, tables = BUILDS[name]
    compiler = dict(option.split("=") for option in options).get("CC", "cc")
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    if options == ["CC=gcc"] and same_compiler("cc", "gcc"):
        pytest.skip("cc is gcc: make test itself has built with it")
    built = make(copy, "-j2", "WERROR=1", *options, "all")
    assert built.code == 0, built
    assert "warning" not in built.out + built.err, built

    for words in tables:
        check_table(copy, words)
    replayed = run(copy / "scenarios/replay", "v1 stage6 A:enter A>< B:enter B><")
    assert (replayed.code, replayed.verdict, replayed.err) == (0, "HOLDS", ""), replayed


def test_a_warning_ends_our_builds_and_nobody_elses(copy):
    client = "build/clients/stage1_setnx"
    with (copy / "stages/stage1_setnx/lock.c").open("a") as stage:
        stage.write("static int nobody_needs_me;\n")
    built = make(copy, client)
    assert built.code == 0 and "nobody_needs_me" in built.err, built
    built = make(copy, "WERROR=1", client)
    assert built.code == 2 and "-Werror" in built.err, built
    assert "export WERROR=1" in (ROOT / ".ci/run").read_text()
