"""The pictures in docs/pictures and the diagram in docs/pictures.md: runs, drawn anew.

The name of a picture says of which run it is: expired_delete.stage3.svg. `make pictures` writes
them all, and begins one for each race that has none; `make docs` then puts it into the atlas. A
picture on another lock begins as an empty file with its name. tests/test_pictures.py holds them
against a run.
"""

import functools
import re
import sys

from tree import ROOT, locks, read_matrix, replay, short

FOLDER = ROOT / "docs/pictures"
PAGE = ROOT / "docs/pictures.md"
DIAGRAM = re.compile(r"^    \./scenarios/(\w+) --stage (\w+) --format mermaid\n\n```mermaid\n(.*?)^```$", re.M | re.S)


def pictures():
    return sorted(FOLDER.glob("*.svg"))


def run_of(path):
    """(race, lock) of a picture."""
    race, lock, _ = path.name.split(".")
    return race, lock


@functools.cache
def ends():
    """{race: {lock: verdict}}, of all locks on Redis."""
    table = {}
    for race, lock, verdict in read_matrix():
        table.setdefault(race, {})[lock] = verdict
    return table


def worth_drawing(verdicts):
    """The lock ({lock: verdict} of a race) whose run shows most: the first that loses the race, or the
    last rung that holds it. Stage 0 has no server, and little to show. None: it can happen to none."""
    names = [name for name in map(short, locks()) if name != "stage0"]
    names.sort(key=lambda name: name.startswith("detour_"))
    if missing_columns := [name for name in names if name not in verdicts]:
        sys.exit(f"common/catalogue/matrix.txt has no column for {' '.join(missing_columns)} (docs/adding.md)")
    rungs = [name for name in names if name.startswith("stage")]
    order = [("BROKEN", names), ("holds", [*reversed(rungs), *names]), ("BROKEN", ["stage0"]), ("holds", ["stage0"])]
    return next((name for wanted, which in order for name in which if verdicts[name] == wanted), None)


def is_lost(path):
    race, lock = run_of(path)
    return ends()[race][lock] == "BROKEN"


def of_race(race):
    """Its picture in the atlas: rather one in which it is lost. None if it has none."""
    drawn = [path for path in pictures() if run_of(path)[0] == race]
    return min(drawn, key=lambda path: not is_lost(path), default=None)


def missing():
    """Of each race without a picture, or with none in which it is lost: the picture to begin."""
    for race, verdicts in ends().items():
        lock, path = worth_drawing(verdicts), of_race(race)
        if lock and (not path or verdicts[lock] == "BROKEN" and not is_lost(path)):
            yield FOLDER / f"{race}.{lock}.svg"


def drawn(race, lock, form):
    finished = replay(race, lock, "--format", form)
    assert finished.code in (0, 1) and finished.err == "", finished
    return finished.out


def diagram():
    """(race, lock, text) of the page's diagram."""
    return DIAGRAM.search(PAGE.read_text()).groups()


if __name__ == "__main__":
    for picture in list(missing()):
        picture.touch()
    for picture in pictures():
        picture.write_text(drawn(*run_of(picture), "svg"))
    race, lock, _ = diagram()
    start, end = DIAGRAM.search(PAGE.read_text()).span(3)
    PAGE.write_text(PAGE.read_text()[:start] + drawn(race, lock, "mermaid") + PAGE.read_text()[end:])
