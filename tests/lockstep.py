"""What the tests share, beside what the programs in Python know of this tree (common/course/tree.py)."""

import fcntl
import functools
import json
import os
import re
import select
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "common/course"))

from tree import (ELSEWHERE, ROOT, comparable, engine, has_engine, has_server, lock_code,  # noqa: E402, F401
                  lock_source, lock_sources, locks, race_source, race_sources, races, read_matrix, replay, roads,
                  run, short, tools)

TESTS = ROOT / "tests"
SCENARIOS = ROOT / "scenarios"
EXPLORE, REPLAY, MATRIX = (SCENARIOS / name for name in ("explore", "replay", "matrix"))


# --- races and locks ----------------------------------------------------------

def head_of(lock):
    """The comment at the beginning of its file."""
    return re.match(r"(//.*\n)*", lock_code(lock))[0]


def open_races(lock):
    """The races that a lock's head lists under "Still open:"."""
    return re.findall(r"^//     \./scenarios/(\w+)$", head_of(lock), re.M)


# --- other servers than Redis -------------------------------------------------

def counted_servers(folder):
    """A PATH on which those that are slow to start note each start, and the file with a line for each."""
    started = folder / "started"
    for name in ("java", "mariadbd"):
        (folder / name).write_text(f'#!/bin/sh\necho >> {started}\nexec {shutil.which(name)} "$@"\n')
        (folder / name).chmod(0o755)
    return f"{folder}:{os.environ['PATH']}", started


# --- running ------------------------------------------------------------------

def refused(*command, **more):
    """The one line with which wrong use, or a run that cannot begin, ends."""
    finished = run(*command, **more)
    assert (finished.code, finished.out, finished.err.count("\n")) == (2, "", 1), finished
    return finished.err


def make(folder, *words):
    """As typed in a shell of its own: without what a make around us passes on."""
    around = [f"--unset={name}" for name in os.environ if name.startswith(("MAKE", "MFLAGS"))]
    return run("env", *around, "make", *words, cwd=folder, timeout=None)


def heard(pipe, process):
    """The words that somebody writes into a named pipe for the test; fails if the process ends without them."""
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    while not select.select([reader], [], [], 1)[0] or not (said := os.read(reader, 1000)):
        assert process.poll() is None, f"{process.args} has ended, and has said nothing"
    os.close(reader)
    return said.decode()


def run_real(*command):
    """A race in real time; again, where the machine was too busy for that."""
    for _ in range(60):
        finished = run(*command)
        if finished.verdict != "INCONCLUSIVE":
            break
        assert "this machine is too busy" in finished.out, finished
    return finished


def replay_real(race, lock):
    return run_real(SCENARIOS / race, "--stage", lock, "--real")


def told(schedule, *options):
    """What ./scenarios/replay makes of a schedule: without its "v1"."""
    return run(REPLAY, *options, f"v1 {schedule}")


def words(options):
    """"--leases 1" is two words, and a guest's command is one."""
    return [word for option in options for word in (option.split() if option.startswith("--") else [option])]


def explore(*options):
    """What a search has found."""
    finished = run(EXPLORE, "--format", "json", *words(options))
    assert finished.code in (0, 1, 3) and not finished.err, finished
    return finished.document


def lost(document):
    """The properties that a search has lost."""
    return {name for name, found in document["properties"].items() if found["lost"]}


# One search, not several; and the bounds with which most figures in these tests were counted.
ONE_SEARCH = "--nested 0 --halfway 0 --rounds 1 --writes 0 --locks 1"
ONE_CRASH = f"{ONE_SEARCH} --leases 2 --faults crash"


def without_runs(document):
    """Nor what is stored of them: a search that runs more has more texts to remember."""
    return {name: without_runs(value) if isinstance(value, dict) else value
            for name, value in document.items() if name not in ("runs", "remembered_bytes", "pending_bytes")}


def stages(*names):
    """The options that name these locks."""
    return [word for name in names for word in ("--stage", name)]


def verdicts(*options, program=MATRIX, code=0):
    """{(race, lock's short name): what ./scenarios/matrix prints for it}."""
    finished = run(program, "--format", "tsv", *options, timeout=None)
    assert (finished.code, finished.err) == (code, ""), finished
    head, *rows = (line.split("\t") for line in finished.out.splitlines())
    return {(race, short(lock)): without_property(cell) for race, *cells in rows
            for lock, cell in zip(head[1:], cells, strict=True)}


def without_property(cell):
    """A cell "broken exclusion", also with a digest behind it, as the tables of verdicts have it."""
    return re.sub(r"^broken [a-z]+\b", "broken", cell)


def expected(table="matrix.txt"):
    """The same as a table of ours has it."""
    return {(race, short(lock)): "inconclusive" if verdict == "unclear" else verdict.lower()
            for race, lock, verdict in read_matrix(table)}


# --- once for all tests -------------------------------------------------------

def once(name, text):
    """text(), which is called once in a session, by whichever process asks first. conftest.py
    makes the folder."""
    kept = Path(os.environ["LOCKSTEP_RUNS"]) / name
    with open(f"{kept}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            kept.write_text(text())
    return kept.read_text()


@functools.cache
def lost_by():
    """{race: the locks on Redis that lose it}"""
    found = {race: [] for race in races()}
    for race, lock, verdict in read_matrix():
        if verdict == "BROKEN":
            found[race].append(lock)
    return found


@functools.lru_cache(maxsize=8)
def documents(race):
    """{lock: its run as JSON, with the bytes} of those that lose it, and of two rungs."""
    def text():
        finished = run(SCENARIOS / race, *stages(*dict.fromkeys([*lost_by()[race], "stage3", "stage8"])),
                       "--format", "json", "--wire", timeout=None)
        assert finished.err == "", finished
        return finished.out

    found = re.split(r"^(?=\{)", once(f"{race}.json", text), flags=re.M)[1:]
    return {short(re.search(r'"lock": "(\w+)"', text)[1]): text for text in found}


@functools.lru_cache(maxsize=64)
def document_text(race, lock):
    """What ./scenarios/RACE --stage LOCK --format json --wire prints."""
    return documents(race).get(short(lock)) or replay(race, lock, "--format", "json", "--wire").out


def played(race, lock):
    return json.loads(document_text(race, lock))


# --- copies of the tree -------------------------------------------------------

# What tests make in build/ and take away again while others run.
MADE_BY_TESTS = {"mutants", "exercises", "crash", "grades"}


def of_other_tests(folder, names):
    """What a copy of the tree, or of a part of it, does without: for shutil.copytree()."""
    made = MADE_BY_TESTS if Path(folder) == ROOT / "build" else set()
    return [name for name in names if name in made | {".git", "__pycache__", ".pytest_cache", "node_modules"}
            or name.startswith(("my_", "runs-"))]


def copy_tree(top, *left_out):
    """Times are kept: what is built in a copy is as new as here."""
    for name in ("Makefile", "common", "scenarios", "stages", "tests", "build"):
        source = ROOT / name
        if name in left_out:
            continue
        if source.is_dir():
            shutil.copytree(source, top / name, symlinks=True, ignore=of_other_tests)
        else:
            shutil.copy2(source, top)
