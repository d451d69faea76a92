// Race: the lease of a nested call ends the renewal.
//
// A takes the lock, which renews itself, and a function that A calls takes it,
// too, for less than that, and releases it. A works on. More than a lease later
// B tries.
//
// Usually lost by: an acquire with a lease of its own that stops the watchdog,
// and a release that does not start it again.
// Source: deduced.
#include "race_more.h"

void nested_lease_ends_renewal(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A is inside, and its lease is renewed");
    enter(a);
    renew(a);
    note(race, "an inner function takes the lock for 20 seconds, and releases");
    enter_for(a, 20 * SECOND);
    need_two_entries(a);
    leave(a);
    note(race, "more than a lease later B tries while A is at work");
    advance(race, LEASE + SECOND);
    must_not_enter(b, "though A has left once of twice and can renew");
}
