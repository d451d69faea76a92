// Race: a short lease lasts too long.
//
// The lease is 2.5 seconds. A takes the lock, works for two seconds, in which a
// watchdog renews, and dies. Five seconds later B tries.
//
// Usually lost by: a lease that stands in the code, in the acquire or in the
// renewal, and is not the one that the lock was opened with.
// Source: deduced.
#include "race_more.h"

void short_lease_too_long(struct race *race) {
    set_lease(race, 2500 * MILLISECOND);
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A works for two seconds and dies");
    enter(a);
    advance(race, 2 * SECOND);
    crash(a);
    note(race, "five seconds later B tries");
    advance(race, 5 * SECOND);
    must_enter(b, "two leases after A died");
}
