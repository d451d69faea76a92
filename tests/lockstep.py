"""What the tests share: running programs, reading the table, comparing text."""

import fcntl
import functools
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"

# The one line of a trace that carries a version.
VERSION_LINE = re.compile(r"^(\w+ on \w+) +\w+ [\d.]+, lease [\d.]+ s$", re.M)


class Run:
    """A finished program: what it said and how it ended."""

    def __init__(self, finished):
        self.code = finished.returncode
        self.out = finished.stdout
        self.err = finished.stderr

    @property
    def verdict(self):
        for word in ("HOLDS", "BROKEN", "CANNOT HAPPEN", "INCONCLUSIVE"):
            if re.search(rf"^{word}\b", self.out, re.M):
                return word
        return f"no verdict: {self.err}"

    @property
    def comparable(self):
        return comparable(self.out)

    @property
    def document(self):
        """What it printed with --format json."""
        assert self.out, self  # why it could not run stands in .err
        return json.loads(self.out)

    def __repr__(self):
        # What went wrong first: pytest leaves out the middle.
        return f"(exit status {self.code}) {self.err}\n{self.out}"


def run(*command, env=None, cwd=ROOT, input="", timeout=1200):
    whole = {**os.environ, "NO_COLOR": "1", **(env or {})}
    return Run(subprocess.run([str(word) for word in command], cwd=cwd, env=whole, input=input,
                              capture_output=True, text=True, timeout=timeout))


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


def replay(race, lock, *options, **more):
    return run(ROOT / "scenarios" / race, "--stage", lock, *options, **more)


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


def comparable(text):
    """The text without the version of the server it came from."""
    return VERSION_LINE.sub(r"\1", text)


EXPLORE = ROOT / "scenarios/explore"


def explore(*options):
    """What a search has found."""
    finished = run(EXPLORE, "--format", "json", *options)
    assert finished.code in (0, 1, 3), finished
    return finished.document


def races():
    return sorted(path.stem for path in (ROOT / "scenarios").glob("*.c"))


def engine(lock):
    """The server that holds it: as its head says with "Engine:", otherwise Redis."""
    said = re.search(r"^// Engine: (\w+)$", (ROOT / "stages" / lock / "lock.c").read_text(), re.M)
    return said[1] if said else "redis"


def roads(name):
    """The locks on this other engine."""
    return [path.name for path in sorted((ROOT / "stages").iterdir())
            if not path.name.startswith("my_") and engine(path.name) == name]


# The other engines, and the packages that they need (make roads).
ELSEWHERE = {"mariadb": "mariadb-server-core, libmariadb-dev",
             "zookeeper": "libzookeeper-java, default-jre-headless, libzookeeper-mt-dev"}


def has_server(name):
    if name == "mariadb":
        return shutil.which(os.environ.get("MARIADB_SERVER", "mariadbd")) is not None
    jar = os.environ.get("ZOOKEEPER_JAR", "/usr/share/java/zookeeper.jar")
    return shutil.which("java") is not None and os.path.exists(jar)


def has_engine(name):
    """A server, and locks that are built for it (make roads). Redis is always there."""
    return name == "redis" or has_server(name) and all(
        (ROOT / "build/clients" / lock).exists() for lock in roads(name))


def counted_servers(folder):
    """A PATH on which those that are slow to start note each start, and the file with a line for each."""
    started = folder / "started"
    for name in ("java", "mariadbd"):
        (folder / name).write_text(f'#!/bin/sh\necho >> {started}\nexec {shutil.which(name)} "$@"\n')
        (folder / name).chmod(0o755)
    return f"{folder}:{os.environ['PATH']}", started


def locks():
    def order(name):
        number = re.match(r"stage(\d+)_", name)
        return (0, int(number[1]), name) if number else (1 + name.startswith("road_"), 0, name)

    return sorted((path.name for path in (ROOT / "stages").iterdir()
                   if not path.name.startswith("my_") and engine(path.name) == "redis"), key=order)


def read_matrix(table="matrix.txt"):
    """A table such as tests/matrix.txt as [(race, lock, verdict)], verdict as in the table. A line
    that begins with "race" begins a table with other locks."""
    cells, columns = [], []
    for line in (TESTS / table).read_text().splitlines():
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if words[0] == "race":
            columns = words[1:]
        else:
            cells += [(words[0], lock, verdict)
                      for lock, verdict in zip(columns, words[1:], strict=True)]
    return cells


def short(lock):
    return re.sub(r"^(stage\d+)_.*", r"\1", lock)


def open_races(lock):
    """The races that a lock's head lists under "Still open:"."""
    head = re.match(r"(//.*\n)*", (ROOT / "stages" / lock / "lock.c").read_text())[0]
    return re.findall(r"^//     \./scenarios/(\w+)$", head, re.M)
