"""Every race against every lock, both ways, held against common/catalogue/matrix.txt."""

import re
import sys

import pytest

from lockstep import ROOT, all_runs, locks, played, races, read_matrix, replay, run, short
from world import wrapper

WORDS = {"holds": "HOLDS", "BROKEN": "BROKEN", "cannot": "CANNOT HAPPEN"}
CODES = {"holds": 0, "BROKEN": 1, "cannot": 0}
MATRIX = read_matrix()


@pytest.mark.parametrize("race, lock, verdict", MATRIX, ids=lambda word: word)
def test_matrix(race, lock, verdict):
    said = played(race, lock)
    assert said["verdict"] == WORDS[verdict], said


@pytest.mark.parametrize("race", races())
def test_the_exit_status_is_that_of_the_worst(race):
    code, runs = all_runs(race)
    assert code == max(CODES[verdict] for name, _, verdict in MATRIX if name == race)
    assert set(runs) == set(map(short, locks()))


@pytest.mark.parametrize("race, lock, verdict", [
    next(cell for cell in MATRIX if cell[2] == verdict) for verdict in WORDS])
def test_one_run_for_one_lock(race, lock, verdict):
    """What is printed for all locks in one go is what each run prints."""
    finished = replay(race, lock)
    assert (finished.verdict, finished.code, finished.err) == (WORDS[verdict], CODES[verdict], "")
    finished = replay(race, lock, "--format", "json", "--wire")
    assert (finished.code, finished.err) == (CODES[verdict], "")
    assert finished.out == all_runs(race)[1][lock]


def test_table_is_complete():
    assert {(race, lock) for race, lock, _ in MATRIX} == {
        (race, short(lock)) for race in races() for lock in locks()}


# What a rung may lose that the rung before it held. Up to stage 4 a new idea brings new races with
# it: a key that stays, a lease that ends, clocks. From then on only these.
FROM_STAGE_4 = {5: set(), 6: {"hung_worker", "ab_ba_deadlock"}, 7: {"thread_hop"}, 8: set(), 9: set()}
RUNGS = [int(short(lock).removeprefix("stage")) for lock in locks() if lock.startswith("stage")]


def given_up(stage):
    verdicts = {(race, lock): verdict for race, lock, verdict in MATRIX}
    before = RUNGS[RUNGS.index(stage) - 1]
    return {race for race in races() if verdicts[race, f"stage{before}"] == "holds"
            and verdicts[race, f"stage{stage}"] == "BROKEN"}


@pytest.mark.parametrize("stage, lost", FROM_STAGE_4.items())
def test_a_rung_holds_what_the_rung_before_it_held(stage, lost):
    assert given_up(stage) == lost


@pytest.mark.parametrize("stage", RUNGS[1:])
def test_each_page_names_what_its_stage_gives_up(stage):
    page = (ROOT / f"docs/stage{stage}.md").read_text()
    section = re.search(r"^## What it gives up$(.*?)^## ", page, re.M | re.S)[1]
    listed = {race for races_of_line in re.findall(r"^- (.*?):", section, re.M)
              for race in re.findall(r"`(\w+)`", races_of_line)}
    assert listed == given_up(stage)


def test_matrix_program_says_the_same():
    """A race of each group on every lock; the sanitizer's build runs them all (test_builds)."""
    some = ["two_processes", "stop_the_world", "check_then_delete", "hung_worker", "thread_hop",
            "reordered_set", "eviction", "failover"]
    finished = run("./scenarios/matrix", "--format", "tsv", *some)
    assert finished.code == 0, finished
    head, *rows = (line.split("\t") for line in finished.out.splitlines())
    assert head == ["race", *locks()]
    said = {(row[0], short(lock)): verdict for row in rows
            for lock, verdict in zip(head[1:], row[1:], strict=True)}
    assert said == {(race, lock): verdict.lower() for race, lock, verdict in MATRIX if race in some}


def test_matrix_program_takes_races_and_locks():
    finished = run("./scenarios/matrix", "--format", "tsv", "--stage", "5", "--stage", "stage4",
                   "nested_call", "expired_delete")
    assert finished.out == ("race\tstage5_token_lua\tstage4_set_nx_ex\n"
                            "nested_call\tbroken\tbroken\n"
                            "expired_delete\tholds\tbroken\n")


def test_matrix_program_has_a_word_for_what_cannot_happen():
    finished = run("./scenarios/matrix", "--format", "tsv", "--stage", "5", "check_then_delete")
    assert finished.out == "race\tstage5_token_lua\ncheck_then_delete\tcannot\n"


def test_matrix_as_json():
    finished = run("./scenarios/matrix", "--format", "json", "--stage", "5", "--stage", "4",
                   "check_then_delete", "nested_call", "expired_delete")
    assert finished.code == 0, finished
    assert list(finished.document.items()) == [
        ("check_then_delete", {"stage5_token_lua": "cannot", "stage4_set_nx_ex": "cannot"}),
        ("nested_call", {"stage5_token_lua": "broken", "stage4_set_nx_ex": "broken"}),
        ("expired_delete", {"stage5_token_lua": "holds", "stage4_set_nx_ex": "broken"})]


def test_a_digest_is_of_all_that_a_run_showed():
    """The same on every run, whoever runs beside it; and two runs that differ in one command only
    have two."""
    cells = {}
    for options in (["--stage", "5", "--stage", "6", "--stage", "7"], ["--stage", "6"]):
        lines = run("./scenarios/matrix", *options, "--format", "tsv", "--digests",
                    "work_outlives_lease", "two_processes").out.splitlines()
        for line in lines[1:]:
            for lock, cell in zip(lines[0].split("\t")[1:], line.split("\t")[1:]):
                name = (line.split("\t")[0], lock)
                assert cells.setdefault(name, cell) == cell
                assert re.fullmatch("(holds|broken) [0-9a-f]{16}", cell)
    assert len(cells) == 6 == len({cell.split()[1] for cell in cells.values()})
    document = run("./scenarios/matrix", "--stage", "6", "--format", "json", "--digests",
                   "two_processes").document
    assert document == {"two_processes": {"stage6_watchdog": cells["two_processes", "stage6_watchdog"]}}


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
    locks = [word for lock in "7261" for word in ("--stage", lock)]
    several = run(f"./scenarios/{race}", *locks, env=server)
    assert several.err == "" and noted.read_text() == starts * "\n"
    assert several.out == "\n".join(replay(race, lock).out for lock in "7261")


def test_all_runs_every_lock_in_one_go():
    assert list(all_runs("two_processes")[1]) == [short(lock) for lock in locks()]


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
    matrix = [ROOT / "scenarios/matrix", "--stage", "4", "--stage", "5", "two_processes", "nested_call"]
    assert run(sys.executable, "-c", ADOPTS, *matrix).out == "nobody\n"
