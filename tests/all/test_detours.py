"""What a detour's head says that it loses, the search finds; and on the rung of
the ladder that answers it, within the same bounds, it does not.

docs/search.md says which of those losses it does not see, and why."""

import re

import pytest

from lockstep import ROOT, explore, head_of, locks, open_races

# The property, the steps of a shortest schedule, the first rung that is clean of it, the bounds;
# and the races of the head. Where that rung is not the detour's own stage, that one loses it too.
LOSSES = """
expire_anyway         loser      7  2  --faults none --leases 0
                      losers_keep_it_alive loser_overwrites_deadline
expire_anyway         recovery   9  3  --faults crash --leases 1
                      crash_mid_acquire
fence_outside         resource  15  9  --faults stop --leases 1 --writes 1 --assume new-holder-writes
                      token_outside_acquire
get_del               foreign   11  5  --faults none --leases 1
                      check_then_delete delayed_delete
getset_equal          exclusion 13  4  --faults ahead --leases 1 --assume {fits}
                      client_clock_fast
getset_equal          loser     15  4  --faults none --leases 2 --clients 3
                      loser_overwrites_deadline
getset_exact          loser     16  4  --faults none --leases 2 --clients 3
                      loser_overwrites_deadline
getset_greater        foreign   15  5  --faults none --leases 1
                      expired_delete
incr_expire           recovery   7  3  --faults crash --leases 1
                      crash_mid_acquire
incr_expire           recovery   7  3  --faults lose-answer --leases 1
                      lost_grant_answer
incr_multi            loser     17  2  --faults none --leases 0
                      losers_keep_it_alive loser_overwrites_deadline
incr_script           foreign    9  5  --faults none --leases 1
                      expired_delete delayed_delete
incr_script           foreign    5  5  --faults stranger --leases 0
                      stranger_releases
redisson              count      9  7  --faults lose-answer --leases 0 --clients 1 --rounds 2
                      retry_counts_twice
redisson              recovery  25  7  --faults lose-answer --leases 0 --clients 1 --rounds 2
                      lost_grant_answer
redisson              count     11  7  --faults cut --leases 0 --clients 1 --rounds 2
                      late_retry_kills_next_hold
reentrant_incr        count      9  7  --faults lose-answer --leases 0 --clients 1 --rounds 2
                      retry_counts_twice
reentrant_incr        recovery  25  7  --faults lose-answer --leases 0 --clients 1 --rounds 2
                      lost_grant_answer
reentrant_uncounted   count      8  7  --faults none --leases 0 --clients 1 --nested 1
                      inner_release
reentrant_unscripted  foreign   11  7  --faults none --leases 1
                      check_then_delete delayed_delete
thread_id             foreign    9  5  --faults none --leases 1
                      same_thread_id expired_delete delayed_delete
thread_id             foreign    5  5  --faults stranger --leases 0
                      stranger_releases
timestamp_del         exclusion 24  3  --faults crash --leases 1 --clients 3 --assume {careful}
                      double_takeover
ttl_repair            loser      9  2  --faults none --leases 0
                      repair_makes_a_phantom
ttl_repair            recovery  11  3  --faults crash --leases 1
                      crash_mid_acquire
watch_del             exclusion  9  6  --faults none --leases 1
                      work_outlives_lease cut_off_holder
watchdog_blind        foreign   12  6  --faults none --leases 2 --depth 14
                      renewal_revives_a_stranger
watchdog_get_expire   foreign   14  6  --faults none --leases 2 --depth 14
                      renewal_check_then_expire
watchdog_get_expire   exclusion 15  6  --faults none --leases 1
                      renewal_check_then_expire
watchdog_set_xx       foreign   11  6  --faults none --leases 1
                      renewal_steals expired_delete
watchdog_set_xx       exclusion 13  6  --faults none --leases 1
                      renewal_steals
watchdog_silent       exclusion  9  6  --faults none --leases 1
                      loss_untold cut_off_holder late_grant
""".format(careful="work-fits-lease,prompt-wire", fits="prompt-wire,work-fits-lease")

ROW = re.compile(r"^(\w+) +(\w+) +(\d+)  (\d)  (.*)\n +(.*)$", re.M)
ROWS = [(f"detour_{lock}", name, int(steps), int(rung), bounds, races.split())
        for lock, name, steps, rung, bounds, races in ROW.findall(LOSSES)]
UNSEEN = re.findall(r"^\| `(detour_\w+)` \| `(\w+)` \| \S",
                    (ROOT / "docs/search.md").read_text(), re.M)


def neighbour(lock):
    return int(re.match(r"// Detour from stage (\d+):", head_of(lock))[1])


def finding(lock, bounds, name):
    document = explore("--stage", lock, "--nested 0 --halfway 0 --rounds 1", bounds)
    assert document["end"] == ("depth" if "--depth" in bounds else "empty")
    return document["properties"][name]


@pytest.mark.parametrize("lock, name, steps, rung, bounds, races", ROWS,
                         ids=[f"{lock}-{name}-{races[0]}" for lock, name, _, _, _, races in ROWS])
def test_the_search_finds_what_a_detour_loses(lock, name, steps, rung, bounds, races):
    assert finding(lock, bounds, name).get("steps") == steps
    assert not finding(str(rung), bounds, name)["lost"]
    for stage in range(neighbour(lock), rung):
        assert finding(str(stage), bounds, name)["lost"]


def test_each_loss_of_a_detour_is_found_or_said_to_be_unseen():
    said = {(lock, race) for lock, *_, races in ROWS for race in races} | set(UNSEEN)
    said.add(("detour_redlock_no_validity", "late_majority"))  # in test_searches.py
    open_ones = {(lock, race) for lock in locks() if lock.startswith("detour_")
                 for race in open_races(lock)}
    assert said == open_ones
