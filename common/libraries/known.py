"""The published libraries that common/catalogue/libraries.txt lists."""

import re
import shlex
import shutil
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

Library = namedtuple("Library", "name language package time options needs command")


def read_libraries():
    text = (ROOT / "common/catalogue/libraries.txt").read_text()
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [Library(*re.split(r" {2,}", line)) for line in lines]


def missing(library):
    """Why it cannot run here, or None."""
    program = shlex.split(library.command)[0]
    if not shutil.which(program):
        return f"there is no {program}"
    if not (ROOT / library.needs).exists():
        return f"there is no {library.needs}: make libraries installs it"
    return None
