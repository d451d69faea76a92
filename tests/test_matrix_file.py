"""Tables that were printed earlier: compared with a run, taken up again, shared among jobs."""

import pytest

from lockstep import MATRIX, run, stages, words

PAIR = [*stages(4, 5), "--format", "tsv"]
RACES = ["expired_delete", "check_then_delete", "crash_holding", "late_grant", "stale_write"]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "table.tsv"
    path.write_text(run(MATRIX, *PAIR, *RACES).out)
    return path


def test_a_table_that_is_as_expected(table):
    finished = run(MATRIX, *PAIR, "--expect", table)
    assert finished.code == 0 and finished.out == table.read_text()
    assert finished.err == f"10 of 10 cells are as {table} has them\n"


@pytest.mark.parametrize("old, new", [("broken exclusion", "holds"), ("holds", "broken told"), ("broken exclusion", "broken told")])
def test_a_cell_that_turns_is_told(table, tmp_path, old, new):
    """In either direction; and what was lost counts, too."""
    expected = tmp_path / "expected.tsv"
    expected.write_text(table.read_text().replace(old, new, 1))
    row = next(line for line, was in zip(*(path.read_text().splitlines() for path in (expected, table)), strict=True)
               if line != was)
    finished = run(MATRIX, *stages(4, 5), "--expect", expected)
    told, count = finished.err.splitlines()
    assert finished.code == 1 and count == f"9 of 10 cells are as {expected} has them"
    assert told.startswith(row.split("\t")[0] + " on stage") and f"; expected: {new}" in told


@pytest.mark.parametrize("shards", [2, 3])
def test_parts_become_a_whole(table, tmp_path, shards):
    parts = [tmp_path / f"{k}.tsv" for k in range(shards)]
    for k, part in enumerate(parts):
        part.write_text(run(MATRIX, *PAIR, *RACES, "--shard", f"{k + 1}/{shards}").out)
    assert sum(len(part.read_text().splitlines()) - 1 for part in parts) == len(RACES)
    whole = run(MATRIX, *PAIR, *RACES, *(word for part in parts for word in ("--resume", part)),
                env={"REDIS_SERVER": "/no/such/server"})  # nothing is run again
    assert (whole.code, whole.out) == (0, table.read_text()), whole


def test_an_interrupted_table_is_taken_up_again(table, tmp_path):
    """A row with a cell that was not run, and a line without its end, are run again."""
    begun = tmp_path / "begun.tsv"
    head, one, two, three, *_ = table.read_text().splitlines(keepends=True)
    begun.write_text(head + one + two.replace("cannot", "not-run", 1) + three.rstrip()[:-3])
    finished = run(MATRIX, *PAIR, *RACES, "--resume", begun)
    assert (finished.code, finished.out) == (0, table.read_text())


@pytest.mark.parametrize("options, words_of_it", [
    ("--shard 3/2", "--shard '3/2': a part of how many, as in 2/5"),
    ("--shard 0/2", "--shard '0/2': a part of how many, as in 2/5"),
    ("--shard 1/2x", "--shard '1/2x': a part of how many, as in 2/5"),
    ("--shard 2/2 two_processes", "--shard 2/2: there are fewer races"),
    ("--resume nowhere --format text", "--resume is for --format tsv, which prints a row at a time"),
    ("--resume nowhere", "cannot read nowhere: No such file or directory"),
    ("--expect nowhere", "cannot read nowhere: No such file or directory"),
    ("--expect nowhere --bugs", "--expect FILE names the races: no --bugs with it"),
    ("--expect nowhere --check nowhere", "--check FILE stands alone: races and locks are in the file"),
    ("--expect nowhere --blank --format text", "--blank runs nothing: no --expect or --resume with it"),
    ("--expect {table} two_processes", "{table} has no row for two_processes"),
    ("--stage 6 --expect {table}", "{table}:1: 'race\\x09stage6_watchdog' should stand here: --format tsv prints such a "
                                   "table of the same locks"),
    ("--resume {table} --resume {table}", "{table}:2: there is a row for expired_delete already"),
])
def test_wrong_use_is_one_line(table, options, words_of_it):
    place = dict(table=str(table))
    asked = words([options.format(**place)])
    finished = run(MATRIX, *([] if "--stage" in options else stages(4, 5)), "--format", "tsv", *asked)
    assert (finished.code, finished.out, finished.err) == (2, "", f"matrix: {words_of_it.format(**place)}\n")


def test_a_file_that_is_no_table(table, tmp_path):
    short = tmp_path / "short.tsv"
    short.write_text(table.read_text().replace("\tholds\n", "\n"))
    finished = run(MATRIX, *PAIR, "--expect", short)
    assert (finished.code, finished.err) == (2, f"matrix: {short}:2: a race and 2 verdicts with a tab before each should "
                                                "stand here: --format tsv prints such a table\n")
