// Race 2.8: a lease is rounded down to whole seconds.
//
// The lease is 2.5 seconds. A takes the lock and loses its network, so that
// nothing is renewed. A millisecond before the end of the lease B tries. The
// lease that was promised is not over.
//
// Usually lost by: a lease that is rounded down to whole seconds.
// Source: redis-py issue 370, where the end of a lease was cut to whole
// seconds.
#include "race_more.h"

void lease_rounded_down(struct race *race) {
    set_lease(race, 2500 * MILLISECOND);
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "shortly before a full second A takes the lock, and loses its network");
    advance(race, 900 * MILLISECOND);
    enter(a);
    cut_off(a);
    need_lock(a);
    note(race, "a millisecond before the end of the lease B tries");
    advance(race, 2499 * MILLISECOND);
    must_not_enter(b, "before the 2.5 seconds are over");
}
