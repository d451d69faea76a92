"""The pictures in docs/pictures and the diagram in docs/pictures.md: runs, drawn anew.

They are those that a page shows; the site draws every run (docs/site.md). The name of a picture
says of which run it is: expired_delete.stage3.svg. `make pictures` draws them all. A new one begins
as an empty file with its name. tests/test_pictures.py holds them against a run.
"""

import re

from tree import ROOT, replay

FOLDER = ROOT / "docs/pictures"
PAGE = ROOT / "docs/pictures.md"
DIAGRAM = re.compile(r"^    \./scenarios/(\w+) --stage (\w+) --format mermaid\n\n```mermaid\n(.*?)^```$", re.M | re.S)


def pictures():
    return sorted(FOLDER.glob("*.svg"))


def run_of(path):
    """(race, lock) of a picture."""
    race, lock, _ = path.name.split(".")
    return race, lock


def of_race(race):
    """(lock, file name) of the first picture of this race; None if there is none."""
    return next(((run_of(path)[1], path.name) for path in pictures() if run_of(path)[0] == race), None)


def drawn(race, lock, form):
    finished = replay(race, lock, "--format", form)
    assert finished.code in (0, 1) and finished.err == "", finished
    return finished.out


def diagram():
    """(race, lock, text) of the page's diagram."""
    return DIAGRAM.search(PAGE.read_text()).groups()


if __name__ == "__main__":
    for picture in pictures():
        picture.write_text(drawn(*run_of(picture), "svg"))
    race, lock, _ = diagram()
    start, end = DIAGRAM.search(PAGE.read_text()).span(3)
    PAGE.write_text(PAGE.read_text()[:start] + drawn(race, lock, "mermaid") + PAGE.read_text()[end:])
