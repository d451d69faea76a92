"""What the tests share, beside what the programs in Python know of this tree (common/course/tree.py)."""

import fcntl
import functools
import json
import os
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "common/course"))

from tree import (ELSEWHERE, ROOT, comparable, engine, has_engine, has_server, lock_code,  # noqa: E402, F401
                  lock_source, lock_sources, locks, race_source, race_sources, races, read_matrix, replay, roads,
                  run, short, tools)

TESTS = ROOT / "tests"


def make(folder, *words):
    """As typed in a shell of its own: without what a make around us passes on."""
    around = [f"--unset={name}" for name in os.environ if name.startswith(("MAKE", "MFLAGS"))]
    return run("env", *around, "make", *words, cwd=folder, timeout=None)


# What tests make in build/ and take away again while others run.
MADE_BY_TESTS = {"mutants", "exercises", "crash", "grades"}


def of_other_tests(folder, names):
    """What a copy of the tree, or of a part of it, does without: for shutil.copytree()."""
    made = MADE_BY_TESTS if Path(folder) == ROOT / "build" else set()
    return [name for name in names if name in made | {".git", "__pycache__", ".pytest_cache", "node_modules"}
            or name.startswith("my_")]


def run_real(*command):
    """A race in real time; again, where the machine was too busy for that."""
    for _ in range(60):
        finished = run(*command)
        if finished.verdict != "INCONCLUSIVE":
            break
        assert "this machine is too busy" in finished.out, finished
    return finished


def replay_real(race, lock):
    return run_real(ROOT / "scenarios" / race, "--stage", lock, "--real")


@functools.lru_cache(maxsize=8)
def all_runs(race):
    """(exit status, {lock: its run as JSON, with the bytes}) of a race on every lock, run once
    for all tests of this session, whichever process asks first. conftest.py makes the folder."""
    kept = Path(os.environ["LOCKSTEP_RUNS"]) / f"{race}.json"
    with open(kept.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            finished = run(ROOT / "scenarios" / race, "--all", "--format", "json", "--wire", timeout=None)
            assert finished.err == "", finished
            kept.write_text(json.dumps([finished.code, finished.out]))
    code, out = json.loads(kept.read_text())
    documents = re.split(r"^(?=\{)", out, flags=re.M)[1:]
    return code, {short(re.search(r'"lock": "(\w+)"', text)[1]): text for text in documents}


def played(race, lock):
    """What ./scenarios/RACE --stage LOCK --format json --wire prints, for the tests that only
    read it."""
    return json.loads(all_runs(race)[1][short(lock)])


EXPLORE = ROOT / "scenarios/explore"


def explore(*options):
    """What a search has found."""
    finished = run(EXPLORE, "--format", "json", *options)
    assert finished.code in (0, 1, 3), finished
    return finished.document


def counted_servers(folder):
    """A PATH on which those that are slow to start note each start, and the file with a line for each."""
    started = folder / "started"
    for name in ("java", "mariadbd"):
        (folder / name).write_text(f'#!/bin/sh\necho >> {started}\nexec {shutil.which(name)} "$@"\n')
        (folder / name).chmod(0o755)
    return f"{folder}:{os.environ['PATH']}", started


def open_races(lock):
    """The races that a lock's head lists under "Still open:"."""
    head = re.match(r"(//.*\n)*", lock_code(lock))[0]
    return re.findall(r"^//     \./scenarios/(\w+)$", head, re.M)
