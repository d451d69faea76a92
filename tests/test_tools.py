"""The programs beside the races, where they print what no usual run shows."""

import fcntl
import os
import struct
import subprocess
import termios
import time

import pytest

from lockstep import MATRIX, ROOT, refused, replay, run, stages


def test_a_cell_that_was_not_run_is_in_the_legend(scratch):
    scratch.client("stage1_bad", "sys.exit(3)")
    out = run(scratch.take("matrix"), "--all").out
    assert "two_processes  not run\n" in out
    assert "\nnot run  this cell was not run; what went wrong stands on standard error\n" in out
    assert "not run" not in run("./scenarios/matrix", "two_processes").out


def test_a_sign_for_a_cell_that_was_not_run(scratch):
    for number in range(12):
        scratch.client(f"detour_bad_{number:02}", "sys.exit(3)")
    out = run(scratch.take("matrix"), "--all").out
    assert "\ntwo_processes ! ! !" in out
    assert "\n!       this cell was not run; " in out


def test_more_locks_than_small_letters(scratch):
    scratch.client("stage1_bad", "sys.exit(3)")
    scratch.client("stage10_bad", "")
    for number in range(28):
        scratch.client(f"detour_bad_{number:02}", "")
    head, *rest = run(scratch.take("matrix"), "--all").out.splitlines()
    assert head.split() == ["race", "1", *"abcdefghijklmnopqrstuvwxyzABC"]
    assert "a  stage10_bad" in rest and "C  detour_bad_27" in rest


def test_roads_are_listed(scratch):
    scratch.client("stage1_made", "")
    assert "Roads" not in run(scratch.take("list")).out
    scratch.client("road_made", "")
    (scratch.top / "stages/roads/road_made/lock.c").write_text("// Road: made for a test.\n")
    assert run(scratch.take("list")).out.endswith(
        "\nRoads: other ways to the same end\n"
        "  road_made                     Road: made for a test.\n")


def test_what_cannot_land_any_more(scratch):
    race = scratch.race("begin_enter(a); give_up(a); crash_server(race_server(race, 1)); land(a);")
    finished = run(race, "--stage", "4")
    assert "CANNOT HAPPEN: A has nothing on its way that could land." in finished.out, finished


# --- assumptions --------------------------------------------------------------

ASSUMPTIONS = ROOT / "scenarios/assumptions"


def rows(*options):
    finished = run(ASSUMPTIONS, "--faults", "crash", *options)
    assert finished.code == 0, finished
    return [line.split("\t" if "tsv" in options else None)
            for line in finished.out.split("\n\n")[0].splitlines()]


def test_what_is_given_is_not_asked_for():
    assert rows("--stage", "4") == [
        ["clean", "under", "exclusion", "recovery", "entry", "loser", "foreign", "count",
         "kept", "told", "bounded", "wakeup", "resource", "progress"],
        ["stage4", "wp", "always", "never", "always", "wp", "wp", "-", "wp", "always", "always", "wp", "always"]]
    assert rows("--stage", "4", "--assume", "no-crashes,prompt-wire") == [
        ["assumed", "prompt-wire+no-crashes"],
        ["clean", "under", "exclusion", "recovery", "entry", "loser", "foreign", "count",
         "kept", "told", "bounded", "wakeup", "resource", "progress"],
        ["stage4", "w", "always", "never", "always", "w", "w", "-", "w", "always", "always", "w", "always"]]


def test_the_lines_of_a_table():
    assert rows("--stage", "1", "--stage", "4", "--format", "tsv", "--assume", "prompt-wire") == [
        ["lock", "exclusion", "recovery", "entry", "loser", "foreign", "count",
         "kept", "told", "bounded", "wakeup", "resource", "progress"],
        ["stage1_setnx", "always", "no-crashes", "never", "always", "always", "always", "not tried",
         "always", "no-crashes", "always", "always", "always"],
        ["stage4_set_nx_ex", "work-fits-lease", "always", "never", "always", "work-fits-lease",
         "work-fits-lease", "not tried", "work-fits-lease", "always", "always", "work-fits-lease", "always"]]


def test_nothing_is_printed_before_there_is_an_answer():
    assert refused(ASSUMPTIONS, "--stage", "4", env={"REDIS_SERVER": "false"})


def test_a_message_is_printed_to_its_end():
    """The worker that speaks first waits here for its reader. The others, and the program itself,
    must wait for it: who ends takes along those whom it has started."""
    reads, writes = os.pipe()
    size = fcntl.fcntl(writes, fcntl.F_SETPIPE_SZ, 4096)
    os.write(writes, b"." * (size - 20))
    program = subprocess.Popen([ASSUMPTIONS, "--stage", "4"], stderr=writes, stdout=subprocess.DEVNULL,
                               env={**os.environ, "REDIS_SERVER": "false"})
    os.close(writes)
    with open(reads, "rb") as pipe:
        deadline = time.monotonic() + 600
        while struct.unpack("i", fcntl.ioctl(reads, termios.FIONREAD, bytes(4)))[0] < size:
            assert program.poll() is None and time.monotonic() < deadline
            os.sched_yield()  # until the message has begun, and there is no more room
        with pytest.raises(subprocess.TimeoutExpired):
            program.wait(timeout=1)
        said = pipe.read().decode().lstrip(".")
    assert (program.wait(), said[:12], said[-8:]) == (2, "assumptions:", "nothing\n")


def test_the_documents_of_a_table_are_those_of_its_races(tmp_path):
    finished = run(MATRIX, *stages("4", "5"), "--documents", tmp_path, "expired_delete", "two_processes")
    assert finished.code == 0 and finished.err == ""
    assert len(list(tmp_path.iterdir())) == 4
    for race in ("expired_delete", "two_processes"):
        for lock in ("stage4_set_nx_ex", "stage5_token_lua"):
            alone = replay(race, lock, "--format", "json", "--drawn")
            assert (tmp_path / f"{race}.{lock}.json").read_text() == alone.out


def test_documents_without_a_folder(tmp_path):
    finished = run(MATRIX, "--stage", "4", "--documents", tmp_path / "none", "two_processes")
    assert finished.code == 2
    assert finished.err == ("matrix: two_processes on stage4_set_nx_ex was not run: cannot write "
                            f"{tmp_path}/none/two_processes.stage4_set_nx_ex.json: No such file or directory\n")
