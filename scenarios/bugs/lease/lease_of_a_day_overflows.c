// Race: a lease of a day overflows its number.
//
// The lease is a day: 86,400 seconds, or 86,400,000 milliseconds. A takes the
// lock and works for 23 hours. B tries.
//
// Usually lost by: a lease, or a time of day, that does not fit into its
// number.
// Source: deduced.
#include "race_more.h"

void lease_of_a_day_overflows(struct race *race) {
    set_lease(race, 24 * HOUR);
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "the lease is a day; A takes the lock");
    enter(a);
    note(race, "23 hours later B tries");
    advance(race, 23 * HOUR);
    must_not_enter(b, "after 23 hours of a day");
}
