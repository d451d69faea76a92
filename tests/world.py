"""A scratch copy of the tree, with clients made for a test; and looking for
what a run has left behind."""

import os
import select
import re
import shutil
import sys

from lockstep import ROOT, lock_code, lock_source, race_source, races, run

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
        if name in races():
            source = self.top / race_source(name).relative_to(ROOT)
            source.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(race_source(name), source)
        return shutil.copy(ROOT / "scenarios" / name, self.top / "scenarios")

    def client(self, lock, script):
        lock_source(lock, self.top).parent.mkdir(parents=True)
        client = self.top / "build/clients" / lock
        client.write_text(PREAMBLE + script + "\n")
        client.chmod(0o755)

    def mutant(self, lock, line, instead, function):
        """A lock of ours with one line of one function changed, as stage1_mutant."""
        source = self.top / "stages/stage1_mutant/lock.c"
        source.parent.mkdir()
        text = lock_code(lock)
        start = re.search(rf"^\w.*[ *]{function}\(", text, re.M).start()
        at = text.index(line, start)
        assert at < text.index("\n}\n", start)
        source.write_text(text[:at] + instead + text[at + len(line):])
        flags = (ROOT / "build/flags").read_text().split()
        built = run(*flags, "-D_GNU_SOURCE", f"-I{ROOT}/common", f"-I{ROOT}/common/lock", "-o",
                    self.top / "build/clients/stage1_mutant", source, ROOT / "build/liblock.a",
                    "-lhiredis", "-pthread")
        assert built.code == 0, built

    def lock(self, name):
        """A lock of ours, as it is."""
        lock_source(name, self.top).parent.mkdir(parents=True)
        shutil.copy(lock_source(name), lock_source(name, self.top))
        shutil.copy(ROOT / "build/clients" / name, self.top / "build/clients")

    def replay(self, race, lock):
        return run(self.take(race), "--stage", lock)

    def schedule(self, line):
        return run(self.take("replay"), line)

    def race(self, story, lock="stage4_set_nx_ex", opening="", includes=()):
        """A race of these lines, built, and a lock of ours to run it on. A is its
        client."""
        source = self.top / "scenarios/made.c"
        source.write_text("".join(f'#include "{name}"\n' for name in ("race_more.h", "race_main.h", *includes)) +
                          f"static void made(struct race *race) {{\n    {opening}\n"
                          '    struct client *a = race_client(race, "A");\n    (void)a;\n'
                          f"    {story}\n}}\n"
                          "int main(int argc, char **argv) {\n"
                          '    const struct race_entry entry = {.name = "made", .tell = made};\n'
                          "    return race_main(&entry, argc, argv);\n}\n")
        if not lock_source(lock, self.top).exists():
            self.lock(lock)
        flags = (ROOT / "build/flags").read_text().split()
        built = run(*flags, "-D_GNU_SOURCE", f"-I{ROOT}/common", f"-I{ROOT}/common/race",
                    f"-I{ROOT}/common/engines/redis", "-o",
                    source.with_suffix(""), source, ROOT / "build/librace.a", "-lhiredis",
                    "-pthread", "-ljansson")
        assert built.code == 0, built
        return source.with_suffix("")


def wrapper(folder, *options, before="", server="redis-server", named="REDIS_SERVER"):
    """A server that is started with more options, and what the shell does before."""
    program = folder / "server"
    program.write_text(f'#!/bin/sh\n{before}\nexec {server} "$@" {" ".join(options)}\n')
    program.chmod(0o755)
    return {named: str(program)}


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
