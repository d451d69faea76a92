// Race: a hold follows after a renewal that found it lost.
//
// A stands still for longer than its lease. Its next renewal hears that the
// lock is lost. A releases, and asks for the lock again, which is free. A must
// get in, and must say that it holds the lock.
//
// Usually lost by: a mark of the loss that is never taken away.
// Source: deduced.
#include "race_more.h"

void hold_after_lost_renewal(struct race *race) {
    struct client *a = race_client(race, "A");

    note(race, "A stands still for longer than its lease; it renews, releases");
    enter(a);
    renew(a);
    stop(a);
    outlast_lease(race);
    resume(a);
    leave(a);
    note(race, "A asks for the lock again");
    must_enter(a, "though it has released, and the lock is free");
    must_believe(a);
}
