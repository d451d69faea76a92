"""A scratch copy of the tree, with clients made for a test; servers made for a test; and looking
for what a run has left behind."""

import os
import select
import re
import shutil
import sys

import pytest

from lockstep import ROOT, SCENARIOS, engine, has_engine, lock_code, lock_source, race_source, race_sources, run


def needs(name):
    return pytest.mark.skipif(not has_engine(name), reason=f"{name} is not here: make roads")


needs_mariadb, needs_zookeeper = needs("mariadb"), needs("zookeeper")


def where_it_is(cells):
    """These cells (…, lock), each to be left out where its lock's server is not here."""
    return [pytest.param(*cell, marks=needs(engine(cell[-1]))) for cell in cells]


PREAMBLE = f"""#!{sys.executable}
import os, socket, sys
def wire(data):
    server = socket.socket(socket.AF_UNIX)
    server.connect(os.environ["REDIS_URL"].removeprefix("unix://"))
    server.sendall(data)
    server.recv(1)
"""


# A guest that answers with answer(word). Commands to its server as text.
GUEST = """
import os, socket, sys
def connect():
    server = socket.socket(socket.AF_UNIX)
    server.connect(os.environ["REDIS_URL"].removeprefix("unix://"))
    return server
def request(*words):
    return b"*%d\\r\\n" % len(words) + b"".join(
        b"$%d\\r\\n%s\\r\\n" % (len(word), word) for word in map(str.encode, words))
def call(*words):
    server.sendall(request(*words))
    return server.recv(100000).decode()
server = connect()
print("ready", flush=True)
for line in sys.stdin:
    word = line.split()[0]
    print(answer(word), flush=True)
"""


class Scratch:
    """Programs find their tree from where they are: a copy finds the copy."""

    def __init__(self, top):
        self.top = top
        for folder in ("scenarios", "stages", "build/clients"):
            (top / folder).mkdir(parents=True)
        shutil.copy(ROOT / "build/clock.so", top / "build")
        self.program = self.take("two_processes")

    def take(self, name):
        """A race or a tool of ours; returns its program."""
        if name in race_sources():
            source = self.top / race_source(name).relative_to(ROOT)
            source.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(race_source(name), source)
        return shutil.copy(SCENARIOS / name, self.top / "scenarios")

    def client(self, lock, script):
        """A script as the client of a lock; one of the shell says so in its first line."""
        source = lock_source(lock, self.top)
        source.parent.mkdir(parents=True)
        source.touch()
        client = self.top / "build/clients" / lock
        client.write_text(script if script.startswith("#!") else PREAMBLE + script + "\n")
        client.chmod(0o755)

    def compile(self, to, source, *more):
        flags = (ROOT / "build/flags").read_text().split()
        built = run(*flags, "-D_GNU_SOURCE", f"-I{ROOT}/common", "-o", to, source, *more, "-lhiredis", "-pthread")
        assert built.code == 0, built
        return to

    def mutant(self, lock, line, instead, function):
        """A lock of ours with one line of one function changed, as stage1_mutant."""
        source = self.top / "stages/stage1_mutant/lock.c"
        source.parent.mkdir()
        text = lock_code(lock)
        start = re.search(rf"^\w.*[ *]{function}\(", text, re.M).start()
        at = text.index(line, start)
        assert at < text.index("\n}\n", start)
        source.write_text(text[:at] + instead + text[at + len(line):])
        self.compile(self.top / "build/clients/stage1_mutant", source, f"-I{ROOT}/common/lock",
                     ROOT / "build/liblock.a")

    def lock(self, name):
        """A lock of ours, as it is."""
        lock_source(name, self.top).parent.mkdir(parents=True)
        shutil.copy(lock_source(name), lock_source(name, self.top))
        shutil.copy(ROOT / "build/clients" / name, self.top / "build/clients")

    def race(self, story, lock="stage4_set_nx_ex", opening="", includes=()):
        """A race of these lines, built, and a lock of ours to run it on. A is its
        client."""
        source = self.top / "scenarios/made.c"
        source.write_text("".join(f'#include "{name}"\n' for name in ("race_more.h", "race_main.h", *includes)) +
                          f"static void made(struct race *race) {{\n    {opening}\n"
                          '    struct client *a = race_client(race, "A");\n    (void)a;\n'
                          f"    {story}\n}}\n"
                          "int main(int argc, char **argv) {\n"
                          '    const struct race_entry entry = {.name = "made", .story = made};\n'
                          "    return race_main(&entry, argc, argv);\n}\n")
        if not lock_source(lock, self.top).exists():
            self.lock(lock)
        return self.compile(source.with_suffix(""), source, f"-I{ROOT}/common/race",
                            f"-I{ROOT}/common/engines/redis", ROOT / "build/librace.a", "-ljansson")


def belongs_to(process, folder):
    """Has it this TMPDIR, or does it live there? A redis-server has written over its
    environment, but not over its folder and its socket's name."""
    def read(name):
        try:
            with open(f"/proc/{process}/{name}", "rb") as file:
                return file.read()
        except PermissionError:  # a server lets nobody look into it
            return b""

    name = os.fsencode(folder)
    return (b"TMPDIR=" + name in read("environ").split(b"\0")
            or name + b"/" in read("cmdline") or name + b"/" in read("maps")
            or os.fsencode(os.readlink(f"/proc/{process}/cwd") + "/").startswith(name + b"/"))


def executable(folder, text, name="server"):
    """A script of the shell, or of what its first line names."""
    program = folder / name
    program.write_text(text if text.startswith("#!") else f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    return str(program)


def wrapper(folder, *options, before="", server="redis-server", named="REDIS_SERVER"):
    """A server that is started with more options, and what the shell does before."""
    return {named: executable(folder, f'{before}\nexec {server} "$@" {" ".join(options)}')}


def left_behind(folder, limit_s=120):
    """Processes that belong to this folder and do not end."""
    left = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            ours = int(process) != os.getpid() and belongs_to(process, folder)
            if ours:
                handle = os.pidfd_open(int(process))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
        if ours:
            if not select.select([handle], [], [], limit_s)[0]:
                left.append(process)
            os.close(handle)
    return left
