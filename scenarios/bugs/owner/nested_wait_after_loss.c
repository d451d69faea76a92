// Race: a nested call waits for a lock that was lost.
//
// A is inside twice and loses its network for longer than its lease. B takes
// the lock, does its work, and releases. A's network is back. A's outer
// function is still under way and calls another one, which takes the lock too,
// and is ready to wait for it. The key is free. But what A has begun under its
// old hold is no longer protected. So this attempt must fail as well.
//
// Usually lost by: a wait that asks only itself whether it is inside already.
// Source: deduced.
#include "race_more.h"

void nested_wait_after_loss(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A is inside twice");
    enter(a);
    enter(a);
    need_two_entries(a);
    note(race, "A loses its network for longer than its lease");
    cut_off(a);
    outlast_lease(race);
    ask(a);
    note(race, "B gets in and leaves");
    enter(b);
    leave(b);
    note(race, "A's network is back, and its inner function waits for the lock");
    reconnect(a);
    wait_for_lock(a, SECOND);
    advance(race, 2 * SECOND);
    must_have_given_up(a, "as if its old hold still stood");
}
