"""A site of a few races, which is built once for all tests."""

import fcntl
import functools
import os
from pathlib import Path

from lockstep import ROOT, run

RACES = ["two_processes", "expired_delete", "nested_call"]


def build(into, *races, **more):
    python = run(ROOT / "common/setup.sh", "python", "markdown").out.strip()
    return run(python, ROOT / "common/site/build_site.py", "--into", into, *races, **more)


@functools.cache
def site():
    """Its folder. conftest.py makes the folder around it."""
    folder = Path(os.environ["LOCKSTEP_RUNS"]) / "site"
    with open(folder.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            finished = build(folder, *RACES)
            assert (finished.code, finished.out, finished.err) == (0, "", ""), finished
    return folder
