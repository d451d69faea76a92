// Race: a nested attempt takes a lock that was lost.
//
// A is inside twice and loses its network for longer than its lease. B takes
// the lock, does its work, and releases. A's network is back. A's outer
// function is still under way and calls another one, which takes the lock too.
// The key is free. But what A has begun under its old hold is no longer
// protected, because B was inside meanwhile. So the nested attempt must fail.
//
// Usually lost by: a nested acquire that begins a new hold when it does not
// find the old one.
// Source: deduced.
#include "race_more.h"

void nested_after_loss(struct race *race) {
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
    note(race, "A's network is back, and A's inner function takes the lock");
    reconnect(a);
    must_not_enter(a, "as if its old hold still stood, though B was inside");
}
