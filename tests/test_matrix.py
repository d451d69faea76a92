"""Every race against every lock, both ways, held against common/catalogue/matrix.txt."""

import re
import signal
import subprocess
import sys

import pytest

from lockstep import (MATRIX, ROOT, SCENARIOS, locks, once, races, read_matrix, replay, run,
                      short, stages, verdicts)
from world import wrapper

WORDS = {"holds": "HOLDS", "BROKEN": "BROKEN", "cannot": "CANNOT HAPPEN"}
CODES = {"holds": 0, "BROKEN": 1, "cannot": 0}
CELLS = read_matrix()
TABLE = {(race, lock): verdict for race, lock, verdict in CELLS}
RUNGS = [int(short(lock).removeprefix("stage")) for lock in locks() if lock.startswith("stage")]


@pytest.fixture(scope="session")
def found(request):
    """What ./scenarios/matrix says of all cells that this session looks at, in one go."""
    asked = [item.callspec.params for item in request.session.items
             if item.name.startswith("test_matrix[")]
    names, some = (sorted({cell[what] for cell in asked}) for what in ("race", "lock"))
    table = once("matrix", lambda: repr(verdicts(*stages(*some), *names)))
    return eval(table)


@pytest.mark.parametrize("race, lock, verdict", CELLS, ids=lambda word: word)
def test_matrix(race, lock, verdict, found):
    assert found[race, lock] == verdict.lower(), replay(race, lock)


@pytest.mark.parametrize("verdict", WORDS)
def test_one_run_for_one_lock(verdict):
    """It ends as the table says; and what is printed for all locks in one go is what each run
    prints."""
    race, lock = next(cell for cell in TABLE if TABLE[cell] == verdict)
    finished = replay(race, lock)
    assert (finished.verdict, finished.code, finished.err) == (WORDS[verdict], CODES[verdict], "")
    finished = replay(race, lock, "--format", "json", "--wire")
    assert (finished.code, finished.err) == (CODES[verdict], "")
    whole = run(SCENARIOS / race, "--all", "--format", "json", "--wire")
    assert finished.out in whole.out and whole.err == ""
    assert re.findall(r'^ *"lock": "(\w+)"', whole.out, re.M) == locks()
    assert whole.code == max(CODES[TABLE[race, short(lock)]] for lock in locks())


def test_the_table_is_complete():
    assert set(TABLE) == {(race, short(lock)) for race in races() for lock in locks()}


# What a rung may lose that the rung before it held. Up to stage 4 a new idea brings new races with
# it: a key that stays, a lease that ends, clocks. From then on only these.
FROM_STAGE_4 = {5: set(), 6: {"hung_worker", "ab_ba_deadlock"}, 7: {"thread_hop"}, 8: set(), 9: set()}


def given_up(stage):
    before = RUNGS[RUNGS.index(stage) - 1]
    return {race for race in races()
            if (TABLE[race, f"stage{before}"], TABLE[race, f"stage{stage}"]) == ("holds", "BROKEN")}


@pytest.mark.parametrize("stage, lost", FROM_STAGE_4.items())
def test_a_rung_holds_what_the_rung_before_it_held(stage, lost):
    assert given_up(stage) == lost


@pytest.mark.parametrize("stage", RUNGS[1:])
def test_the_atlas_names_all_that_a_stage_gives_up(stage):
    section = re.search(rf"^## Stage {stage}\n(.*?)^Loses:$", (ROOT / "docs/atlas/stages.md").read_text(), re.M | re.S)[1]
    assert set(re.findall(r"`(\w+)`", section.partition("\nGives up: ")[2])) == given_up(stage)


MANY = 4  # so many stand on the page itself; of more it groups some and leads to the others


@pytest.mark.parametrize("stage", RUNGS[1:])
def test_each_page_names_what_its_stage_gives_up(stage):
    page = (ROOT / f"docs/stage{stage}.md").read_text()
    section = re.search(r"^## What it gives up$(.*?)^## ", page, re.M | re.S)[1]
    listed = {race for races_of_line in re.findall(r"^- (.*?):", section, re.M)
              for race in re.findall(r"`(\w+)`", races_of_line)}
    if len(given_up(stage)) <= MANY:
        assert listed == given_up(stage)
    else:
        assert listed < given_up(stage) and len(listed) >= MANY
        assert f"](atlas/stages.md#stage-{stage})" in section


def test_the_order_is_that_of_the_command_line():
    """Of races and of locks; and "cannot" is a word for what cannot happen."""
    command = [MATRIX, *stages(5, "stage4"), "nested_call", "check_then_delete", "expired_delete", "--format"]
    assert run(*command, "tsv").out == ("race\tstage5_token_lua\tstage4_set_nx_ex\n"
                                        "nested_call\tbroken entry\tbroken entry\n"
                                        "check_then_delete\tcannot\tcannot\n"
                                        "expired_delete\tholds\tbroken exclusion\n")
    as_json = run(*command, "json")
    assert as_json.code == 0 and list(as_json.document.items()) == [
        ("nested_call", {"stage5_token_lua": "broken entry", "stage4_set_nx_ex": "broken entry"}),
        ("check_then_delete", {"stage5_token_lua": "cannot", "stage4_set_nx_ex": "cannot"}),
        ("expired_delete", {"stage5_token_lua": "holds", "stage4_set_nx_ex": "broken exclusion"})]


def test_a_digest_is_of_all_that_a_run_showed():
    """The same on every run, whoever runs beside it; and two runs that differ in one command only
    have two."""
    command = ["work_outlives_lease", "two_processes", "--digests"]
    cells, again = verdicts(*stages(5, 6, 7), *command), verdicts(*stages(6), *command)
    assert again.items() <= cells.items() and len(again) == 2
    assert len(cells) == 6 == len({cell.split()[1] for cell in cells.values()})
    assert all(re.fullmatch("(holds|broken) [0-9a-f]{16}", cell) for cell in cells.values())
    document = run(MATRIX, *stages(6), "--format", "json", *command[1:]).document
    assert document == {"two_processes": {"stage6_watchdog": cells["two_processes", "stage6"]}}


# Nothing is done to it; it is killed; it refuses; somebody types commands; it has no memory left;
# it writes to a disk.
@pytest.mark.parametrize("race, starts", [
    ("two_processes", 1), ("restart_empty", 1 + 4), ("refused_release", 1), ("refused_renewals", 1),
    ("forced_unlock", 1), ("script_flush", 1), ("key_of_another_type", 1), ("eviction", 4),
    ("downtime_eats_lease", 4 * 2)])
def test_the_traces_of_several_locks_follow_each_other(race, starts, tmp_path):
    """On one server, as long as it can forget what was done to it."""
    noted = tmp_path / "starts"
    server = wrapper(tmp_path, before=f"echo >>{noted}")
    several = run(SCENARIOS / race, *stages(*"7261"), env=server)
    assert several.err == "" and noted.read_text() == starts * "\n"
    assert several.out == "\n".join(replay(race, lock).out for lock in "7261")


# Who is left behind by the command becomes its child.
ADOPTS = """import ctypes, os, subprocess, sys
ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
try:
    print(os.waitpid(-1, 0))
except ChildProcessError:
    print("nobody")
"""


def test_matrix_program_ends_last():
    """After all that it has started."""
    assert run(sys.executable, "-c", ADOPTS, MATRIX, *stages(4, 5), "two_processes", "nested_call").out == "nobody\n"


def test_rows_stand_there_as_they_are_done(tmp_path):
    """Who ends the run keeps what it has found out. (After six clients none starts any more.)"""
    guest = tmp_path / "guest"
    guest.write_text(f"""#!/bin/sh
echo >> {tmp_path}/starts
[ $(wc -l < {tmp_path}/starts) -gt 6 ] && exec tail -f /dev/null
exec {ROOT}/build/clients/stage5_token_lua
""")
    guest.chmod(0o755)
    command = [str(MATRIX), "--virtual", "--client", str(guest), "--format", "tsv", *["two_processes"] * 9]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        lines = [running.stdout.readline() for _ in range(2)]
        running.terminate()
        lines += running.stdout.readlines()
    assert running.returncode == -signal.SIGTERM
    assert lines[:2] == ["race\tclient\n", "two_processes\tholds\n"] and set(lines[2:]) <= {lines[1]}
