"""This tree, for the programs in Python: where its races and locks are, what the table expects of
them, and running a program. Only this file knows in which folder a source stands."""

import functools
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The one line of a trace that carries a version.
VERSION_LINE = re.compile(r"^(\w+ on \w+) +\w+ [\d.]+, lease [\d.]+ s$", re.M)


# --- running a program -------------------------------------------------------

class Run:
    """A finished program: what it said and how it ended."""

    def __init__(self, finished):
        self.code = finished.returncode
        self.out = finished.stdout
        self.err = finished.stderr

    @property
    def verdict(self):
        found = re.search(r"^(HOLDS|BROKEN|CANNOT HAPPEN|INCONCLUSIVE)\b", self.out, re.M)
        return found[1] if found else f"no verdict: {self.err}"

    @property
    def comparable(self):
        return comparable(self.out)

    @property
    def flat(self):
        """What it printed, as one line."""
        return " ".join(self.out.split())

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


def replay(race, lock, *options, **more):
    return run(ROOT / "scenarios" / race, "--stage", lock, *options, **more)


def comparable(text):
    """The text without the version of the server it came from."""
    return VERSION_LINE.sub(r"\1", text)


# What a lock on another engine is linked with: its connection, and the library behind that.
CONNECTIONS = {"mariadb": ("mysql*.o", "-lmariadb"), "zookeeper": ("zookeeper*.o", "-lzookeeper_mt")}


def compile_client(source, client, *more):
    """As make does, but for what `more` says otherwise."""
    flags = (ROOT / "build/flags").read_text().split()
    objects, *libraries = CONNECTIONS.get(engine_in(source.read_text()), ("",))
    connection = sorted((ROOT / "build/common/lock").glob(objects)) if objects else []
    return run(*flags, *more, "-D_GNU_SOURCE", f"-I{ROOT}/common", f"-I{ROOT}/common/lock", "-o", client, source,
               *connection, ROOT / "build/liblock.a", *libraries, "-lhiredis", "-pthread")


# --- races and locks ---------------------------------------------------------

@functools.cache
def race_sources():
    """{race: its file}"""
    return {path.stem: path for path in sorted((ROOT / "scenarios").rglob("*.c"), key=lambda path: path.stem)}


def races():
    return list(race_sources())


def race_source(name):
    return race_sources()[name]


@functools.cache
def lock_sources():
    """{lock: its file}, without a student's own, which are called my_…"""
    return {path.parent.name: path for path in sorted((ROOT / "stages").rglob("lock.c"))
            if not path.parent.name.startswith("my_")}


def lock_source(name, top=ROOT):
    """The file of any lock, whether it is there or not."""
    folder = {"detour": "stages/detours", "road": "stages/roads"}.get(name.split("_")[0], "stages")
    return top / folder / name / "lock.c"


def lock_code(name):
    return lock_source(name).read_text()


def engine_in(code):
    """The server that holds such a lock: as its head says with "Engine:", otherwise Redis."""
    said = re.search(r"^// Engine: (\w+)$", code, re.M)
    return said[1] if said else "redis"


@functools.cache
def engine(lock):
    return engine_in(lock_code(lock))


def roads(name):
    """The locks on this engine."""
    return sorted(lock for lock in lock_sources() if engine(lock) == name)


def locks():
    """Those on Redis: the ladder, the detours, the roads."""
    def order(name):
        number = re.match(r"stage(\d+)_", name)
        return (0, int(number[1]), name) if number else (1 + name.startswith("road_"), 0, name)

    return sorted(roads("redis"), key=order)


def short(lock):
    return re.sub(r"^(stage\d+)_.*", r"\1", lock)


def programs():
    """What a tree of its own needs, in which races are run and searched: files of this one, by their
    paths in it. What is in scenarios/ are links to the first two."""
    names = [*races(), "matrix", "explore"]
    for_java = [name for name in ("build/jvm.so", "build/zookeeper.jsa") if (ROOT / name).exists()]
    return ["build/lockstep", "build/lab", "build/clock.so", *for_java, *(f"scenarios/{name}" for name in names),
            *(str(path.relative_to(ROOT)) for path in race_sources().values())]


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


# --- the table ---------------------------------------------------------------

def tools():
    """The programs in scenarios/ that are no races."""
    lines = re.findall(r"^(?:TOOLS|LAB) *:= (.*)$", (ROOT / "Makefile").read_text(), re.M)
    return sorted(Path(word).name for line in lines for word in line.split())


# In place of words.
SIGNS = {".": "holds", "X": "BROKEN", "-": "cannot", "?": "unclear"}


def course():
    """The races of the course as [(race, rung, mark)]; course.txt says what the marks mean."""
    lines = [line.split() for line in (ROOT / "common/catalogue/course.txt").read_text().splitlines()
             if line and not line.startswith("#")]
    return [(race, int(rung), mark[0] if mark else "") for race, rung, *mark in lines]


def read_matrix(table="matrix.txt"):
    """A table of common/catalogue as [(race, lock, verdict)], verdicts as words. Lines that begin
    with "race" name the locks of the rows below them."""
    cells, columns, in_head = [], [], False
    for line in (ROOT / "common/catalogue" / table).read_text().splitlines():
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if words[0] == "race":
            columns = (columns if in_head else []) + words[1:]
        else:
            cells += [(words[0], lock, SIGNS.get(verdict, verdict))
                      for lock, verdict in zip(columns, words[1:], strict=True)]
        in_head = words[0] == "race"
    return cells
