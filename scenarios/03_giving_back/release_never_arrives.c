// Race 3.8: the release never arrives.
//
// A has done its work, but its network has failed, so its release does not
// reach the server. A second after the lease B tries.
//
// Usually lost by: a lock without a lease.
// Source: the Redis documentation on distributed locks.
#include "race.h"

void release_never_arrives(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    note(race, "A's network is gone, and A releases");
    cut_off(a);
    leave(a);
    advance(race, LEASE + SECOND);
    note(race, "a second after the lease B tries");
    must_enter(b, "a second after A's lease, and A is done");
}
