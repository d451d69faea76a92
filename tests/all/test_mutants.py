"""What catches a lock with one bug, race by race and search by search: the table in
common/course/mutants.txt."""

import re
from collections import Counter

import pytest

import mutants
from lockstep import engine, has_engine, run
from world import needs

MUTANTS = mutants.mutants()
TABLE = mutants.read_table()
REASONS = ("Harmless: ", "Not expressible: ", "Not caught: ")


def each(some):
    """What has no server here is left out; conftest.py says so."""
    return pytest.mark.parametrize("mutant", [pytest.param(mutant, marks=needs(engine(mutant.lock)), id=mutant.name)
                                              for mutant in some])


@pytest.fixture(scope="session")
def made():
    """All of them, compiled once for all processes of this run."""
    return mutants.build([mutant for mutant in MUTANTS if has_engine(engine(mutant.lock))])


def test_every_mutant_stands_in_the_table():
    assert list(TABLE) == [mutant.name for mutant in MUTANTS]


@each(MUTANTS)
def test_a_mutant_is_a_sentence_and_a_patch_that_fits(mutant, made):
    assert made[mutant.name] == "", made[mutant.name]
    assert re.fullmatch(r"[A-Z`].*[^.]\.", mutant.sentence), mutant.sentence
    assert mutant.reason == "" or mutant.reason.startswith(REASONS), mutant.reason
    row = TABLE[mutant.name]
    assert bool(mutant.reason) == (not row.words), "caught, or a reason why not"


CATCHES = Counter(race for row in TABLE.values() for race in row.named)


@each([mutant for mutant in MUTANTS if TABLE[mutant.name].named or engine(mutant.lock) == "redis"])
def test_a_race_that_catches_a_mutant(mutant, made):
    """Of those in the table the one that catches the fewest. What nothing catches is tried in all
    races for such bugs, if it is on Redis: a new one may catch it."""
    assert made[mutant.name] == "", made[mutant.name]
    row = TABLE[mutant.name]
    tried = sorted(row.named, key=CATCHES.get)[:1] or mutants.bug_races(mutant)
    again = mutants.Row(mutants.verdicts(mutant, tried))
    assert again.named == tried[:bool(row.named)]
    assert bool(again.stopped) == bool(row.stopped)


# The command runs the longer ones, too.
SEARCHED = [mutant for mutant in MUTANTS if 0 < max(TABLE[mutant.name].lost.values(), default=0) < 12]


@each(SEARCHED)
def test_the_search_that_catches_a_mutant(mutant, made):
    assert made[mutant.name] == "", made[mutant.name]
    row = TABLE[mutant.name]
    moves = max(row.lost.values()) + 1  # to try at the end is a move, and no step
    lost = mutants.lost_by_the_bug(mutant, row.bounds, "--depth", moves)
    assert row.lost.items() <= lost.items()


@each([mutant for mutant in MUTANTS if TABLE[mutant.name].refused])
def test_a_search_that_is_refused_says_why(mutant, made):
    assert made[mutant.name] == "", made[mutant.name]
    row = TABLE[mutant.name]
    with pytest.raises(mutants.Refused, match=re.escape(row.refused)):
        mutants.lost_properties(mutant.top, mutant.brief, row.bounds)


REPEATS = """Not wrong: a release that is refused is made once more.

--- stages/stage7_reentrant/lock.c
@@ lock_release
     struct reply reply =
         redis_eval(lock->redis, &lock->release, "1 %s %s %d %d", lock->key,
                    lock->token, left, lock->lease_ms);
+    if (reply.type == REPLY_ERROR)
+        reply = redis_eval(lock->redis, &lock->release, "1 %s %s %d %d",
+                           lock->key, lock->token, left, lock->lease_ms);
"""


def test_a_lock_may_repeat_a_refused_release_by_itself(tmp_path):
    path = tmp_path / "not_wrong/repeats_what_is_refused.diff"
    path.parent.mkdir()
    path.write_text(REPEATS)
    mutant = mutants.Mutant(path)
    assert mutants.build([mutant]) == {mutant.name: ""}
    assert mutants.verdicts(mutant, ["refused_inner_release"]) == {"refused_inner_release": "holds"}


@pytest.mark.parametrize("name, bounds", [
    ("lease/to_an_instant_of_the_client", ("--faults", "none", "--depth", "9")),
    ("renewal/to_an_instant_of_the_client", ("--clients", "1", "--faults", "give-up", "--depth", "14")),
])
def test_a_lease_that_ends_at_an_instant_is_searched_as_it_runs(name, bounds, made):
    """The same command leads to another lease at another time, in SET and in a script."""
    assert made[name] == "", made[name]
    mutant = next(mutant for mutant in MUTANTS if mutant.name == name)

    def search(*more):
        finished = run(mutant.top / "scenarios/explore", "--format", "json", "--stage", mutant.brief,
                               "--nested", "0", "--halfway", "0", "--rounds", "1", "--writes", "0",
                               "--locks", "1", *bounds, *more)
        assert finished.err == "", finished
        return {name: value for name, value in finished.document.items()
                if name != "runs" and not name.endswith("_bytes")}
    assert search() == search("--verify")


def test_a_lock_that_never_cuts_what_the_outer_call_has_asked_for(scratch):
    """The other way round: the race is held by a detour whose bug is mended."""
    scratch.mutant("detour_reentrant_lease", "lock->next, count, lease_ms);",
                   "lock->next, count,\n                   count > 1 ? lock->lease_ms : lease_ms);", "lock_acquire_for")
    finished = run(scratch.take("reentry_shrinks_lease"), "--stage", "1")
    assert finished.verdict == "HOLDS", finished
    assert "OK, inside again for 1 s\n" in finished.out
    assert ", busy\n" in finished.out
