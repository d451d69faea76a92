"""Every race against every lock, both ways, held against tests/matrix.txt."""

import json

import pytest

from lockstep import ROOT, locks, races, read_matrix, replay, run, short

WORDS = {"holds": "HOLDS", "BROKEN": "BROKEN", "cannot": "CANNOT HAPPEN"}
CODES = {"holds": 0, "BROKEN": 1, "cannot": 0}
MATRIX = read_matrix()


@pytest.mark.parametrize("race, lock, verdict", MATRIX, ids=lambda word: word)
def test_matrix(race, lock, verdict):
    finished = replay(race, lock)
    assert finished.verdict == WORDS[verdict], finished
    assert finished.code == CODES[verdict], finished
    assert finished.err == ""


def test_table_is_complete():
    assert {(race, lock) for race, lock, _ in MATRIX} == {
        (race, short(lock)) for race in races() for lock in locks()}


def test_matrix_program_says_the_same():
    finished = run("./scenarios/matrix", "--format", "tsv")
    assert finished.code == 0, finished
    head, *rows = (line.split("\t") for line in finished.out.splitlines())
    assert head == ["race", *locks()]
    said = {(row[0], short(lock)): verdict for row in rows
            for lock, verdict in zip(head[1:], row[1:], strict=True)}
    assert said == {(race, lock): verdict.lower() for race, lock, verdict in MATRIX}


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
    assert list(json.loads(finished.out).items()) == [
        ("check_then_delete", {"stage5_token_lua": "cannot", "stage4_set_nx_ex": "cannot"}),
        ("nested_call", {"stage5_token_lua": "broken", "stage4_set_nx_ex": "broken"}),
        ("expired_delete", {"stage5_token_lua": "holds", "stage4_set_nx_ex": "broken"})]


def test_all_runs_every_lock_in_one_go():
    finished = run("./scenarios/two_processes", "--all")
    heads = [line.split()[2] for line in finished.out.splitlines()
             if line.startswith("two_processes on ")]
    assert heads == locks()
    assert finished.code == 1  # one of them is broken
