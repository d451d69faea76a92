// Race: an inner release comes after the lock was lost.
//
// A is inside twice and loses its network for longer than its lease. B takes
// the lock. A's network is back. A's inner function releases, and then the
// outer one. Neither may touch the lock, which is B's. C tries while B is
// inside. In this race only writes count.
//
// Usually lost by: a release that looks whose the lock is only when it is the
// last one.
// Source: deduced.
#include "race_more.h"

void inner_release_after_loss(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    judge_by_writes(race);
    note(race, "A is inside twice");
    enter(a);
    enter(a);
    need_two_entries(a);
    note(race, "A loses its network for longer than its lease; B tries");
    cut_off(a);
    outlast_lease(race);
    enter(b);
    need_inside(b);
    note(race, "A's network is back, and A releases twice");
    reconnect(a);
    leave(a);
    leave(a);
    note(race, "C tries while B is inside");
    must_not_enter(c, "though B is inside");
}
