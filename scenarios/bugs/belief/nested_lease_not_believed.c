// Race: the short lease of a nested call is not believed.
//
// A is inside. An inner function takes the lock again, with a lease of its
// own that is short. From now on A cannot reach the server. When the lease
// is over there, A must know that its lock can be lost. B tries.
//
// Usually lost by: a nested acquire that makes the lease shorter on the
// server and leaves the holder's own deadline where it was.
// Source: deduced.
#include "race_more.h"

void nested_lease_not_believed(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    enter(a);
    note(race, "an inner function takes the lock for a sixth of the lease");
    enter_for(a, LEASE / 6);
    note(race, "A's network is gone");
    cut_off(a);
    outlast_lease(race);
    note(race, "when the lease is over B tries");
    enter(b);
}
