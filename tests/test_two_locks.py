"""A search with --locks 2: what two handles of one process share by mistake."""

import pytest

import mutants
from lockstep import EXPLORE, ROOT, explore, run

SMALL = ("--locks", "2", "--leases", "0", "--faults", "none")
ONE = ("--locks", "1", "--nested", "0", "--halfway", "0", "--rounds", "1")
TIME_PASSES = ("--locks", "2", "--clients", "1", "--faults", "none", "--depth", "12")


def lost(document):
    return {name: row["steps"] for name, row in document["properties"].items() if row["lost"]}


def without_runs(document):
    return {name: value for name, value in document.items() if name != "runs" and not name.endswith("_bytes")}


@pytest.fixture(scope="module")
def client():
    """The program of a mutant, as --client takes it."""
    def built(name):
        mutant = next(some for some in mutants.mutants() if some.name == name)
        assert set(mutants.build([mutant]).values()) == {""}
        return str(mutant.top / "build/clients" / mutant.brief)
    return built


@pytest.mark.parametrize("stage", ["1", "5", "7", "9"])
def test_a_lock_that_shares_nothing_loses_nothing(stage):
    document = explore("--stage", stage, *SMALL)
    assert lost(document) == {} and document["end"] == "empty" and document["bounds"]["locks"] == 2
    assert "a client was inside both locks at once" in document["seen"]


def test_its_size_is_as_the_page_says():
    page = (ROOT / "docs/explore.md").read_text()
    assert f"{explore('--stage', '5', *SMALL)['positions']:,} positions" in page


@pytest.mark.parametrize("name, options, losses", [
    ("token/one_for_the_process", SMALL, {"entry": 12, "told": 9}),
    ("process/one_count", SMALL, {"entry": 6}),
    ("process/one_watchdog", TIME_PASSES, {"kept": 10}),
])
def test_what_two_handles_share_is_found(client, name, options, losses):
    """And not without a second lock; what is found is lost when it is replayed."""
    assert lost(explore("--client", client(name), *options)) == losses
    assert lost(explore("--client", client(name), *options, *ONE)) == {}
    printed = run(EXPLORE, "--client", client(name), *options)
    assert printed.code == 1 and printed.out.count("BROKEN") == len(losses), printed.out + printed.err
    assert "A:opens-two" in printed.out


@pytest.mark.parametrize("name, losses", [
    ("token/one_for_the_process", {"told": 9}),
    ("process/one_count", {"entry": 6}),
])
def test_explore_finds_that_by_itself(client, name, losses):
    document = explore("--client", client(name))
    assert lost(document).items() >= losses.items()
    assert document["two_locks"]["end"] == "empty"


def test_a_watchdog_of_each_lock_keeps_both():
    assert lost(explore("--stage", "6", *TIME_PASSES)) == {}


def test_what_two_timers_do_depends_on_when_each_was_set():
    """A client may take its second lock before or after a renewal of the first. It has been told the same then."""
    bounds = ("--stage", "6", "--locks", "2", "--clients", "1", "--leases", "0", "--time", "10", "--faults", "none")
    document = explore(*bounds)
    assert document["end"] == "empty" and lost(document) == {}
    assert without_runs(explore(*bounds, "--verify")) == without_runs(document)


def test_two_timers_may_be_overdue():
    """A client that was stopped wakes once for each of them."""
    bounds = ("--stage", "6", "--locks", "2", "--clients", "1", "--faults", "stop", "--depth", "11")
    assert without_runs(explore(*bounds, "--verify")) == without_runs(explore(*bounds))


def test_who_leaves_one_lock_still_has_the_timer_of_the_other():
    """How long that one still takes depends on when the client leaves."""
    document = explore("--stage", "7", "--locks", "2", "--clients", "1", "--halfway", "1", "--faults", "none",
                       "--depth", "10")
    assert document["end"] == "depth"


@pytest.mark.parametrize("options", [
    ("--stage", "5", *SMALL),
    ("--stage", "2", "--locks", "2", "--leases", "1", "--faults", "crash,cut", "--depth", "7"),
], ids=["whole", "faults"])
def test_two_locks_are_searched_as_they_run(options):
    assert without_runs(explore(*options, "--verify")) == without_runs(explore(*options))


def test_what_is_stored_does_not_depend_on_the_faster_worker():
    bounds = ("--stage", "detour_reentrant_lease", *SMALL)
    alone = explore(*bounds, "--jobs", "1")
    assert [explore(*bounds, "--jobs", "3") for _ in range(8)] == 8 * [alone]


def test_both_locks_are_excluded():
    """A lease ends: a second client gets into the second lock, too."""
    document = explore("--stage", "4", "--locks", "2", "--faults", "none", "--depth", "9")
    assert lost(document)["exclusion"] == 9


@pytest.mark.parametrize("options, words", [
    (("--stage", "5", "--locks", "3"), "a number from 1 to 2"),
    (("--stage", "5", "--locks", "2", "--wait", "60"), "does not go with --wait"),
    (("--stage", "road_redlock", "--locks", "2"), "does not go with several masters"),
    (("--stage", "5", "--locks", "0"), "a number from 1 to 2"),
])
def test_wrong_bounds_are_refused(options, words):
    refused = run(EXPLORE, *options)
    assert refused.code == 2 and words in refused.err and refused.err.count("\n") == 1 and not refused.out
