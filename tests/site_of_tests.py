"""A site of a few races, which is built once for all tests."""

import fcntl
import functools
import os
import sys
from pathlib import Path

from lockstep import ELSEWHERE, ROOT, engine, has_engine, locks, played, read_matrix, roads, run, short

sys.path.insert(0, str(ROOT / "common/site"))

import recordings  # noqa: E402, F401
import rows  # noqa: E402, F401
import runs  # noqa: E402, F401
import senders  # noqa: E402, F401

RACES = ["two_processes", "expired_delete", "nested_call"]
PLAYED = ["stage1", "stage4", "detour_subscribe_once", "road_redlock"]


WORDS = {"holds": "h", "BROKEN": "B", "cannot": "c", "unclear": "i"}


LEFT_OUT = [name for name in ELSEWHERE if not has_engine(name)]


def left_out(engines):
    """What the generator says of them."""
    return f"Without the locks on {' and '.join(engines)}, which are not built here: make roads\n" if engines else ""


def shown_locks():
    """Those on Redis, and those on other servers that are built here."""
    return [*locks(), *(lock for name in ELSEWHERE if name not in LEFT_OUT for lock in roads(name))]


def verdicts():
    """{(race, lock's short name): its letter} of all locks."""
    return {(race, short(lock)): WORDS[verdict] for table in ("matrix.txt", "roads.txt")
            for race, lock, verdict in read_matrix(table)}


def run_of(race, lock):
    if engine(lock) == "redis":
        return played(race, lock)
    return run(ROOT / "scenarios" / race, "--stage", lock, "--format", "json").document


def python_of_site():
    return run(ROOT / "common/setup.sh", "python", "markdown,pygments").out.strip()


def build(into, *races, **more):
    played_stages = [word for stage in PLAYED for word in ("--play", stage)]
    return run(python_of_site(), ROOT / "common/site/build_site.py", "--into", into, *played_stages,
               "--search", "stage2", *races, **more)


@functools.cache
def site():
    """Its folder. conftest.py makes the folder around it."""
    folder = Path(os.environ["LOCKSTEP_RUNS"]) / "site"
    with open(folder.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            finished = build(folder, *RACES)
            assert (finished.code, finished.out, finished.err) == (0, left_out(LEFT_OUT), ""), finished
    return folder
