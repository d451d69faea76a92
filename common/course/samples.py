"""The traces in README and docs: real output, run anew.

A code block whose first line is "$ command" shows that command and what it
prints. `make docs` writes the output again; a test holds the pages against it.
"""

import os
import re
import subprocess
import sys

from tree import ELSEWHERE, ROOT, comparable, has_engine, roads

BLOCK = re.compile(r"^```(?:console|text|diff)?\n(\$ .*?)^```$", re.M | re.S)


def pages():
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/atlas").glob("*.md"))]


def blocks(page):
    return BLOCK.findall(page.read_text())


def block_of(command):
    """The one block that shows this command."""
    (found,) = [block for page in pages() for block in blocks(page)
                if block.startswith(f"$ {command}\n")]
    return found


def runs_here(block):
    """Is the server that it needs installed?"""
    return all(has_engine(name) or not any(lock in block for lock in roads(name))
               for name in ELSEWHERE)


def again(block):
    """The block as it would be written now."""
    commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    return "".join(f"$ {command}\n{output(command)}" for command in commands)


def output(command):
    # A page shows the command as the reader types it; building first is silent.
    finished = subprocess.run(["bash", "-c", command], cwd=ROOT, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=1200,
                              env={**os.environ, "NO_COLOR": "1", "MAKEFLAGS": ""})
    assert finished.returncode != 2 and "was not run" not in finished.stderr, (
        f"$ {command}\n{finished.stderr}")
    return finished.stdout + finished.stderr


def refresh(page):
    old = page.read_text()

    def rewrite(match):
        if not runs_here(match[1]):
            return match[0]
        fresh = again(match[1])
        if comparable(fresh) == comparable(match[1]):
            return match[0]  # only the version differs
        return match[0].replace(match[1], fresh)

    new = BLOCK.sub(rewrite, old)
    if new != old:
        page.write_text(new)
        print(f"{page.relative_to(ROOT)} is written anew")


if __name__ == "__main__":
    for each in [ROOT / name for name in sys.argv[1:]] or pages():
        try:
            refresh(each)
        except KeyboardInterrupt:
            sys.exit(f"{each.relative_to(ROOT)} is left as it was")
