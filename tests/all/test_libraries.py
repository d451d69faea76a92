"""Published lock libraries in the races of docs/libraries.md: common/catalogue/libraries.tsv has the verdicts."""

import re
import shutil
import sys

import pytest

from lockstep import ROOT, races, run

sys.path.append(str(ROOT / "common/libraries"))
from known import SHOWN, read_libraries, read_verdicts  # noqa: E402

RECORDED = read_verdicts()
LIBRARIES = [library.name for library in read_libraries()]


@pytest.mark.parametrize("library", LIBRARIES)
def test_each_cell_that_is_shown_is_as_it_is_recorded(library):
    """Both ways, and the property that is lost, too. (`make libraries` compares all cells.)"""
    chosen = SHOWN.split()
    finished = run(ROOT / "common/libraries/run", "--library", library, *chosen, timeout=None)
    if re.search(f"^{library} was not run: ", finished.err, re.M):
        pytest.skip("it is not installed: make libraries")
    assert finished.code == 0, finished
    assert len(finished.out.splitlines()) == len(chosen) + 1


def test_a_cell_that_turns_is_named(tmp_path):
    """In a table with another verdict."""
    table = tmp_path / "recorded.tsv"
    table.write_text("race\tredis_py\nexpired_delete\tbroken exclusion\ntwo_processes\tholds\n")
    finished = run(ROOT / "common/libraries/run", "--library", "redis_py", "--recorded", table,
                   "expired_delete", "two_processes")
    if "was not run" in finished.err:
        pytest.skip("it is not installed: make libraries")
    assert finished.err == "expired_delete on redis_py: holds, and broken exclusion is recorded\n", finished
    assert finished.code == 1


def test_every_documented_race_is_recorded_for_each_library_of_the_catalogue():
    documented = {path.stem for path in (ROOT / "scenarios").glob("[0-9]*/*.c")}
    assert set(RECORDED) == documented & set(races())
    assert all(list(cells) == LIBRARIES for cells in RECORDED.values())
    page = (ROOT / "docs/libraries.md").read_text()
    packages = {re.match(r"\S+ [0-9][^, ]*", library.package)[0] for library in read_libraries()}
    assert not [package for package in packages if package not in page]


def test_two_runs_have_the_same_bytes():
    command = [ROOT / "common/libraries/run", "--library", "redlock5", "late_grant", "work_outlives_lease"]
    first, second = (run(*command) for _ in range(2))
    assert (first.code, first.out) == (0, second.out), first


def test_what_a_hold_costs():
    """The commands and bytes; times are for a reader."""
    finished = run(ROOT / "common/libraries/bench", "stage5", "stage8")
    holds, handovers = finished.out.split("us a handover")
    rows = re.findall(r"^(stage\d) +\d+ +\d+\.\d\d +(\d+) +(\d+)$", holds, re.M)
    assert rows == [("stage5", "4", "234"), ("stage8", "9", "301")], finished
    assert re.findall(r"^(stage\d) +\d+ +\d+\.\d\d$", handovers, re.M) == ["stage5", "stage8"], finished
    assert finished.out.count("\nratio: to stage5\n") == 2


def test_a_library_that_cannot_be_measured_is_named():
    finished = run(sys.executable, ROOT / "common/libraries/bench", "stage5", "redlock4",
                   env={"PATH": "/nowhere", "REDIS_SERVER": shutil.which("redis-server")})
    assert "redlock4 was not measured: there is no node" in finished.err, finished


BOTH_TIMES = "two_processes crash_holding expired_delete release_twice stop_the_world forced_unlock nested_call restart_empty"


@pytest.mark.parametrize("library, command", [("redlock4", "common/libraries/node/redlock4.mjs"),
                                              ("redis_py", "common/libraries/python/redis_py.py")])
def test_real_time_agrees_with_the_world_s(library, command):
    """In every cell that both can run. (A busy machine may not be able to say something in real time.)"""
    if run(ROOT / "common/libraries/run", "--library", library, "two_processes").err:
        pytest.skip("it is not installed: make libraries")
    shown = {race: cells[library] for race, cells in RECORDED.items()}
    finished = run(ROOT / "scenarios/matrix", "--format", "tsv", "--client", command, *BOTH_TIMES.split(), timeout=None)
    said = dict(line.split("\t") for line in finished.out.splitlines()[1:])
    assert set(said) == set(BOTH_TIMES.split()), finished
    said = {race: cell for race, cell in said.items() if cell not in ("inconclusive", "cannot")}
    assert said == {race: shown[race] for race in said} and len(said) > 2, finished
