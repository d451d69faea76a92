// Race: a holder does not believe in its own renewals.
//
// A works for three leases, and its watchdog renews the lock in time. So A has
// it, and must not say that it is lost: a holder that asks itself before each
// step would stop its work for nothing. B is refused.
//
// Usually lost by: a deadline that renewals do not move.
// Source: deduced.
#include "race_more.h"

void renewals_not_believed(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A works for three leases, and renews its lock");
    enter(a);
    renew(a);
    advance(race, 3 * LEASE);
    must_believe(a);
    note(race, "B tries while A is at work");
    must_not_enter(b, "though A is at work and can renew its lease");
}
