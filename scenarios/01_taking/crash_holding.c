// Race 1.2: the holder dies.
//
// A takes the lock and is killed while it is inside. No other client will
// release A's lock. A second after the lease B tries: can it get in?
//
// Usually lost by: a lock that only its holder can end.
// Source: the redis.io page on SETNX.
#include "race.h"

void crash_holding(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A takes the lock and dies inside");
    enter(a);
    crash(a);
    advance(race, LEASE + SECOND);
    note(race, "a second after the lease B tries");
    must_enter(b, "a second after the lease of A, who is dead");
}
