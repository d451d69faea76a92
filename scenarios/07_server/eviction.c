// Race 7.4: the server runs out of memory.
//
// The server is used as a cache, too: when its memory is full, it evicts keys
// that have a time to live. A lock with a lease is such a key. B tries while A
// is inside.
//
// Usually lost by: every lock that is a key with a lease.
// Source: RedLock.net issue 101.
#include "race_more.h"

void eviction(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    note(race, "the server runs out of memory");
    run_out_of_memory(race);
    note(race, "B tries while A is inside");
    enter(b);
}
