// Race: a lease is rounded to the nearest second.
//
// The lease is 2.4 seconds. A takes the lock and loses its network, so that
// nothing is renewed. A millisecond before the end of the lease B tries. The
// lease that was promised is not over.
//
// Usually lost by: a lease that is rounded to the nearest whole second, or a
// lock that ends with its connection.
// Source: deduced.
#include "race_more.h"

void lease_rounded_to_nearest(struct race *race) {
    set_lease(race, 2400 * MILLISECOND);
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A takes the lock, and loses its network");
    enter(a);
    cut_off(a);
    need_lock(a);
    note(race, "a millisecond before the end of the lease B tries");
    advance(race, 2399 * MILLISECOND);
    must_not_enter(b, "before the 2.4 seconds are over");
}
