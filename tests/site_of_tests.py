"""A site of a few races, which is built once for all tests."""

import fcntl
import functools
import os
import sys
from pathlib import Path

from lockstep import ROOT, run

sys.path.insert(0, str(ROOT / "common/site"))

import recordings  # noqa: E402, F401
import rows  # noqa: E402, F401

RACES = ["two_processes", "expired_delete", "nested_call"]


def python_of_site():
    return run(ROOT / "common/setup.sh", "python", "markdown").out.strip()


def build(into, *races, **more):
    return run(python_of_site(), ROOT / "common/site/build_site.py", "--into", into, "--play", "stage1", "--play", "stage4", "--search", "stage2",
               *races, **more)


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
