"""./scenarios/assumptions: what has to be taken for granted, beside what is given."""

from lockstep import ROOT, run

ASSUMPTIONS = ROOT / "scenarios/assumptions"


def rows(*options):
    finished = run(ASSUMPTIONS, "--faults", "crash", *options)
    assert finished.code == 0, finished
    return [line.split("\t" if "tsv" in options else None)
            for line in finished.out.split("\n\n")[0].splitlines()]


def test_what_is_given_is_not_asked_for():
    assert rows("--stage", "4") == [
        ["clean", "under", "exclusion", "recovery", "entry", "loser", "foreign", "count",
         "kept", "told", "bounded"],
        ["stage4_set_nx_ex", "wp", "always", "never", "always", "wp", "wp", "-", "wp", "always"]]
    assert rows("--stage", "4", "--assume", "no-crashes,prompt-wire") == [
        ["assumed", "prompt-wire+no-crashes"],
        ["clean", "under", "exclusion", "recovery", "entry", "loser", "foreign", "count",
         "kept", "told", "bounded"],
        ["stage4_set_nx_ex", "w", "always", "never", "always", "w", "w", "-", "w", "always"]]


def test_the_lines_of_a_table():
    assert rows("--stage", "1", "--stage", "4", "--format", "tsv", "--assume", "prompt-wire") == [
        ["lock", "exclusion", "recovery", "entry", "loser", "foreign", "count",
         "kept", "told", "bounded"],
        ["stage1_setnx", "always", "no-crashes", "never", "always", "always", "always", "not tried",
         "always", "no-crashes"],
        ["stage4_set_nx_ex", "work-fits-lease", "always", "never", "always", "work-fits-lease",
         "work-fits-lease", "not tried", "work-fits-lease", "always"]]


def test_nothing_is_printed_before_there_is_an_answer():
    finished = run(ASSUMPTIONS, "--stage", "4", env={"REDIS_SERVER": "false"})
    assert (finished.code, finished.out) == (2, "")
    assert finished.err.count("\n") == 1
