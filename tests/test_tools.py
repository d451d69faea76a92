"""./scenarios/matrix and ./scenarios/list, where they print what no usual run shows."""

import shutil

import pytest

from lockstep import ROOT, run


def tool(scratch, name):
    shutil.copy(ROOT / "scenarios" / name, scratch.top / "scenarios")
    return scratch.top / "scenarios" / name


def test_a_cell_that_was_not_run_is_in_the_legend(scratch):
    scratch.client("stage1_bad", "sys.exit(3)")
    out = run(tool(scratch, "matrix"), "--all").out
    assert "two_processes  not run\n" in out
    assert "\nnot run  this cell was not run; what went wrong stands on standard error\n" in out
    assert "not run" not in run("./scenarios/matrix", "two_processes").out


def test_a_sign_for_a_cell_that_was_not_run(scratch):
    for number in range(12):
        scratch.client(f"detour_bad_{number:02}", "sys.exit(3)")
    out = run(tool(scratch, "matrix"), "--all").out
    assert "\ntwo_processes ! ! !" in out
    assert "\n!       this cell was not run; " in out


def test_more_locks_than_small_letters(scratch):
    scratch.client("stage1_bad", "sys.exit(3)")
    scratch.client("stage10_bad", "")
    for number in range(28):
        scratch.client(f"detour_bad_{number:02}", "")
    head, *rest = run(tool(scratch, "matrix"), "--all").out.splitlines()
    assert head.split() == ["race", "1", *"abcdefghijklmnopqrstuvwxyzABC"]
    assert "a  stage10_bad" in rest and "C  detour_bad_27" in rest


@pytest.mark.parametrize("family", ["--ladder", "--detours", "--all"])
def test_a_lock_or_a_family(family):
    for options in (["--stage", "5"], ["--client", "true"]):
        finished = run("./scenarios/matrix", *options, family, "two_processes")
        assert (finished.code, finished.out) == (2, "")
        assert "no --ladder, --detours, --roads or --all with it\n" in finished.err


def test_roads_are_listed(scratch):
    scratch.client("stage1_made", "")
    assert "Roads" not in run(tool(scratch, "list")).out
    scratch.client("road_made", "")
    (scratch.top / "stages/roads/road_made/lock.c").write_text("// Road: made for a test.\n")
    assert run(tool(scratch, "list")).out.endswith(
        "\nRoads: other ways to the same end\n"
        "  road_made                     Road: made for a test.\n")


def test_what_cannot_land_any_more(scratch):
    race = scratch.race("begin_enter(a); give_up(a); crash_server(race_server(race, 1)); land(a);")
    finished = run(race, "--stage", "4")
    assert "CANNOT HAPPEN: A has nothing on its way that could land." in finished.out, finished
