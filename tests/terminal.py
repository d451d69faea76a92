"""A program as somebody sees it: on a terminal."""

import os
import pty
import select
import subprocess

from lockstep import ROOT

LIMIT_S = 60


def on_a_terminal(*command, streams=("stdout", "stderr"), env=None):
    """What it writes to a terminal; streams not named go to pipes. Returns the
    terminal's bytes, the pipes' and the exit status."""
    own = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    screen, terminal = pty.openpty()
    outputs = {name: terminal if name in streams else subprocess.PIPE
               for name in ("stdout", "stderr")}
    process = subprocess.Popen(command, cwd=ROOT, env={**own, **(env or {})},
                               stdin=subprocess.DEVNULL, **outputs)
    os.close(terminal)
    seen = b""
    while select.select([screen], [], [], LIMIT_S)[0]:
        try:
            seen += os.read(screen, 65536)
        except OSError:  # the last one who could write has gone
            break
    os.close(screen)
    piped = process.communicate(timeout=LIMIT_S)
    return seen.decode(), b"".join(filter(None, piped)).decode(), process.returncode
