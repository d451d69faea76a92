"""The published libraries that common/catalogue/libraries.txt lists, and what is recorded of them."""

import re
import shutil
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERDICTS = ROOT / "common/catalogue/libraries.tsv"

# The races that docs/libraries.md shows: for each kind of loss the plainest one.
SHOWN = """
two_processes crash_holding late_grant expired_delete delayed_delete release_twice lost_grant_answer
lost_release_answer work_outlives_lease cut_off_holder hung_worker nested_call stop_the_world stale_write
forced_unlock restart_empty failover
"""

Library = namedtuple("Library", "name language package time options needs command")


def read_libraries():
    text = (ROOT / "common/catalogue/libraries.txt").read_text()
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [Library(*re.split(r" {2,}", line)) for line in lines]


def read_verdicts(path=VERDICTS):
    """{race: {library: its cell}}"""
    head, *rows = (line.split("\t") for line in path.read_text().splitlines())
    return {race: dict(zip(head[1:], cells, strict=True)) for race, *cells in rows}


def missing(library):
    """Why it cannot run here, or None."""
    program = {"python": "/usr/bin/python3"}.get(library.language, library.language)
    if not shutil.which(program):
        return f"there is no {program}"
    if not (ROOT / library.needs).exists():
        return f"there is no {library.needs}: make libraries installs it"
    return None
