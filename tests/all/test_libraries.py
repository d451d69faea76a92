"""Published lock libraries in the races of docs/libraries.md: common/catalogue/libraries.tsv has the verdicts."""

import re
import shutil
import sys

import pytest

from lockstep import ROOT, races, run

TABLE = ROOT / "common/catalogue/libraries.tsv"
HEAD, *ROWS = (line.split("\t") for line in TABLE.read_text().splitlines())
LIBRARIES = HEAD[1:]
SHOWN = [row[0] for row in ROWS]


@pytest.mark.parametrize("library", LIBRARIES)
def test_each_cell_is_what_the_table_says(library):
    """Both ways, and the property that is lost, too. (The page says why some cells are not run.)"""
    expected = {race: cells[LIBRARIES.index(library)] for race, *cells in ROWS
                if cells[LIBRARIES.index(library)] != "not-run"}
    finished = run(ROOT / "common/libraries/run", "--library", library, *expected, timeout=None)
    assert finished.code == 0, finished
    if re.search(f"^{library} was not run: ", finished.err, re.M):
        pytest.skip("it is not installed: make libraries")
    said = dict(line.split("\t") for line in finished.out.splitlines()[1:])
    assert said == expected, finished.err


def test_each_library_of_the_catalogue_is_in_the_table_and_on_the_page():
    catalogue = (ROOT / "common/catalogue/libraries.txt").read_text()
    assert re.findall(r"^(\w+)  ", catalogue, re.M) == LIBRARIES
    assert set(SHOWN) <= set(races())
    page = (ROOT / "docs/libraries.md").read_text()
    packages = {package.rstrip(",") for package in re.findall(r"^\w+  \w+  (\S+ [0-9]\S*)", catalogue, re.M)}
    assert not [package for package in packages if package not in page]
    rows = {race: cells for race, *cells in ROWS}
    for race in re.findall(r"`(\w+)`", page):
        assert race in rows or race not in races(), race


def test_two_runs_have_the_same_bytes():
    command = [ROOT / "common/libraries/run", "--library", "redlock5", "late_grant", "work_outlives_lease"]
    first, second = (run(*command) for _ in range(2))
    assert (first.code, first.out) == (0, second.out), first


def test_what_a_hold_costs():
    """The commands and bytes; times are for a reader."""
    finished = run(ROOT / "common/libraries/bench", "stage5", "stage6")
    rows = re.findall(r"^(stage\d) +\d+ +\d+\.\d\d +(\d+) +(\d+)$", finished.out, re.M)
    assert rows == [("stage5", "4", "234"), ("stage6", "4", "234")], finished
    assert finished.out.endswith("\nratio: to stage5\n")


def test_a_library_that_cannot_be_measured_is_named():
    finished = run(sys.executable, ROOT / "common/libraries/bench", "stage5", "redlock4",
                   env={"PATH": "/nowhere", "REDIS_SERVER": shutil.which("redis-server")})
    assert "redlock4 was not measured: there is no node" in finished.err, finished


BOTH_TIMES = "two_processes crash_holding expired_delete release_twice stop_the_world forced_unlock nested_call restart_empty"


@pytest.mark.parametrize("library, command", [("redlock4", "node --no-memory-reducer common/libraries/node/redlock4.mjs"),
                                              ("redis_py", "/usr/bin/python3 common/libraries/python/redis_py.py")])
def test_real_time_agrees_with_the_world_s(library, command):
    """In every cell that both can run. (A busy machine may not be able to say something in real time.)"""
    if run(ROOT / "common/libraries/run", "--library", library, "two_processes").err:
        pytest.skip("it is not installed: make libraries")
    shown = {race: cells[LIBRARIES.index(library)] for race, *cells in ROWS}
    finished = run(ROOT / "scenarios/matrix", "--format", "tsv", "--client", command, *BOTH_TIMES.split(), timeout=None)
    said = dict(line.split("\t") for line in finished.out.splitlines()[1:])
    assert set(said) == set(BOTH_TIMES.split()), finished
    said = {race: cell for race, cell in said.items() if cell not in ("inconclusive", "cannot")}
    assert said == {race: shown[race] for race in said} and len(said) > 2, finished
