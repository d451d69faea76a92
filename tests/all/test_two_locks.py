"""A search with --locks 2: what two handles of one process share by mistake."""

import sys

import pytest

import mutants
from lockstep import EXPLORE, ROOT, explore, run, words

SMALL = "--locks 2 --leases 0 --faults none"
ONE = "--locks 1 --nested 0 --halfway 0 --rounds 1"
TIME_PASSES = "--locks 2 --clients 1 --faults none --depth 12"


def steps(document):
    return {name: row["steps"] for name, row in document["properties"].items() if row["lost"]}


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
    document = explore("--stage", stage, SMALL)
    assert steps(document) == {} and document["end"] == "empty" and document["bounds"]["locks"] == 2
    assert "a client was inside both locks at once" in document["seen"]


def test_its_size_is_as_the_page_says():
    page = (ROOT / "docs/explore.md").read_text()
    assert f"{explore('--stage', '5', SMALL)['positions']:,} positions" in page


@pytest.mark.parametrize("name, options, losses", [
    ("token/one_for_the_process", SMALL, {"entry": 12, "told": 9}),
    ("process/one_count", SMALL, {"entry": 6}),
    ("process/one_watchdog", TIME_PASSES, {"kept": 10}),
])
def test_what_two_handles_share_is_found(client, name, options, losses):
    """And not without a second lock; what is found is lost when it is replayed."""
    assert steps(explore("--client", client(name), options)) == losses
    assert steps(explore("--client", client(name), options, ONE)) == {}
    printed = run(EXPLORE, "--client", client(name), *words([options]))
    assert printed.code == 1 and printed.out.count("BROKEN") == len(losses), printed.out + printed.err
    assert "A:opens-two" in printed.out


@pytest.mark.parametrize("name, losses", [
    ("token/one_for_the_process", {"told": 9}),
    ("process/one_count", {"entry": 6}),
])
def test_explore_finds_that_by_itself(client, name, losses):
    document = explore("--client", client(name))
    assert steps(document).items() >= losses.items()
    assert document["two_locks"]["end"] == "empty"


def test_a_watchdog_of_each_lock_keeps_both():
    for bounds in (TIME_PASSES, "--locks 2 --clients 1 --faults none --leases 0 --time 10"):
        document = explore("--stage 6", bounds)
        assert steps(document) == {} and document["end"] == ("depth" if "--depth" in bounds else "empty")


def test_who_leaves_one_lock_still_has_the_timer_of_the_other():
    """How long that one still takes depends on when the client leaves."""
    document = explore("--stage 7 --locks 2 --clients 1 --halfway 1 --faults none --depth 10")
    assert document["end"] == "depth"


def test_what_is_stored_does_not_depend_on_the_faster_worker():
    alone, *others = (explore("--stage detour_reentrant_lease", SMALL, "--jobs", jobs) for jobs in "133333333")
    assert others == 8 * [alone]


def test_both_locks_are_excluded():
    """A lease ends: a second client gets into the second lock, too."""
    document = explore("--stage 4 --locks 2 --faults none --depth 9")
    assert steps(document)["exclusion"] == 9


def test_the_lock_that_is_opened_second_is_asked_for_everything(client):
    """A release of the second one that does nothing is seen where that is the lock in question."""
    program = client("process/one_key_for_releases")
    document = explore("--client", program, SMALL)
    assert steps(document) == {"told": 6, "entry": 9} and document["turned_locks"]["end"] == "empty"
    printed = run(EXPLORE, "--client", program, *words([SMALL]))
    assert printed.code == 1 and printed.out.count("A:opens-turned") == 2, printed.out + printed.err
    again = run("bash", "-c", printed.out.split("Again: ")[1].splitlines()[0])
    assert again.code == 1 and "BROKEN: " in again.out, again


def test_a_guest_without_a_second_lock_is_searched_without_one():
    document = explore("--client", f"{sys.executable} tests/guests/correct.py Lock", "--depth", "3")
    assert not {"two_locks", "turned_locks"} & set(document) and document["end"] == "depth"
