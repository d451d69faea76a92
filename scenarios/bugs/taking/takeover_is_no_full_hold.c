// Race: a takeover is no full hold.
//
// A dies, and a lease later B gets in. This is a hold like any other: half a
// lease later B has its lock and knows it, and C is refused. When B has
// released, C gets in.
//
// Usually lost by: a way in that forgets what the usual way does: the deadline
// is not noted, the watchdog is not started.
// Source: deduced.
#include "race_more.h"

void takeover_is_no_full_hold(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    note(race, "A dies, and a lease later B gets in");
    enter(a);
    crash(a);
    advance(race, LEASE + SECOND);
    must_enter(b, "a second after the lease of A, who is dead");
    note(race, "half a lease later C tries, and again when B has released");
    advance(race, LEASE / 2);
    must_believe(b);
    must_not_enter(c, "while B is inside");
    leave_if_inside(b);
    must_enter(c, "though B has released");
}
