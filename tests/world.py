"""A scratch copy of the tree, with clients made for a test; and looking for
what a run has left behind."""

import os
import select
import shutil
import sys

from lockstep import ROOT

PREAMBLE = f"""#!{sys.executable}
import os, socket, sys
def wire(data):
    server = socket.socket(socket.AF_UNIX)
    server.connect(os.environ["REDIS_URL"].removeprefix("unix://"))
    server.sendall(data)
    server.recv(1)
"""


class Scratch:
    """Programs find their tree from where they are: a copy finds the copy."""

    def __init__(self, top):
        self.top = top
        for folder in ("scenarios", "stages", "build/clients"):
            (top / folder).mkdir(parents=True)
        for name in ("two_processes", "two_processes.c"):
            shutil.copy(ROOT / "scenarios" / name, top / "scenarios")
        shutil.copy(ROOT / "build/clock.so", top / "build")
        self.program = top / "scenarios/two_processes"

    def client(self, lock, script):
        (self.top / "stages" / lock).mkdir()
        client = self.top / "build/clients" / lock
        client.write_text(PREAMBLE + script + "\n")
        client.chmod(0o755)


def left_behind(folder, limit_s=10):
    """Processes that have this TMPDIR in their environment and do not end."""
    left = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/environ", "rb") as environ:
                ours = f"TMPDIR={folder}".encode() in environ.read().split(b"\0")
            if ours and int(process) != os.getpid():
                handle = os.pidfd_open(int(process))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
        if ours and int(process) != os.getpid():
            if not select.select([handle], [], [], limit_s)[0]:
                left.append(process)
            os.close(handle)
    return left
