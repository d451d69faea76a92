// Race 4.9: the holder cannot reach the server for longer than the lease.
//
// A is inside and works, but its network has failed. So the server cannot tell
// A that its lease has run out: A has to know that by itself. One second after
// the lease A asks itself whether it still holds the lock, and stops its work
// if not. Then B tries.
//
// Usually lost by: every lock with a lease whose holder has no deadline of its
// own.
// Source: Redisson issue 3187; Curator Tech Note 14.
#include "race.h"

void cut_off_holder(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A takes the lock and loses its network");
    enter(a);
    cut_off(a);
    advance(race, LEASE + SECOND);
    note(race, "a second after the lease: does A know?");
    ask(a);
    note(race, "B tries");
    enter(b);
}
