// Race 2.1: the work takes longer than the lease.
//
// A works for 40 seconds with a lease of 30 seconds, for instance because a
// query is slow or a file is large. B tries after 31 seconds. A notices nothing
// and works on to the end.
//
// Usually lost by: every lock with a lease that nobody renews.
// Source: the Redis documentation on distributed locks.
#include "race.h"

void work_outlives_lease(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A begins work that takes 40 seconds");
    enter(a);
    advance(race, LEASE + SECOND);
    note(race, "a second after the lease B tries");
    enter(b);
    advance(race, 9 * SECOND);
    note(race, "A is done");
    leave(a);
}
