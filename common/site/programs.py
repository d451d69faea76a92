"""What the programs print, which the site is made of."""

import signal
import threading

from tree import ROOT, run

interrupted = threading.Event()  # nothing is started any more


class Refused(Exception):
    """One line: why there is no site."""


def interrupt(number, frame):
    interrupted.set()
    raise KeyboardInterrupt


def ask(program, *words, **more):
    """What it prints. A lock that is lost is no failure."""
    if interrupted.is_set():
        raise KeyboardInterrupt
    said = run(ROOT / "scenarios" / program, *words, **more)
    if said.code == -signal.SIGINT:  # Ctrl-C goes to all programs of a terminal
        interrupt(signal.SIGINT, None)
    if said.err or said.code not in (0, 1, 3):
        why = said.err.strip().splitlines() or [f"{program} ended with {said.code}"]
        raise Refused(why[0])
    return said.out
