// Race: a handle is closed while it has the lock.
//
// A is inside, closes its handle and opens a new one: it has forgotten to
// release. The lock may stay for the rest of its lease, and not longer. Two
// leases later B must get in.
//
// Usually lost by: a watchdog that goes on when its handle is closed; a lock
// without a lease.
// Source: deduced.
#include "race_more.h"

void closed_while_held(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A is inside, and closes its handle without a release");
    enter(a);
    reopen(a);
    note(race, "two leases later B tries");
    advance(race, 2 * LEASE + SECOND);
    must_enter(b, "two leases after A has closed its handle");
}
