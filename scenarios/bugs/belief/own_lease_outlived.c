// Race: a holder's belief outlives its own lease.
//
// A takes the lock for one second. In the first millisecond after that it asks
// itself whether it still holds the lock, and B tries.
//
// Usually lost by: an acquire that gives the server the lease it was asked for,
// and the holder's own deadline the usual one.
// Source: deduced.
#include "race_more.h"

void own_lease_outlived(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A takes the lock for a second");
    enter_for(a, 1 * SECOND);
    note(race, "the second has just passed: does A know?");
    advance(race, SECOND + MILLISECOND);
    ask(a);
    note(race, "B tries");
    enter(b);
}
