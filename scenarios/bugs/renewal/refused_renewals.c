// Race: the server refuses every renewal.
//
// A works, and the server answers its renewals with errors: its disk or its
// memory is full, or it has too few replicas. An error is not a yes. When the
// lease is over by A's own clock, A must know that it can have lost the lock.
// The server takes writes again, and B tries.
//
// Usually lost by: a watchdog that takes any answer for a renewal, and by a
// holder that has no deadline of its own.
// Source: deduced.
#include "race_more.h"

void refused_renewals(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A is inside, and its lease is renewed");
    enter(a);
    renew(a);
    note(race, "the server refuses all writes, and A's renewals too");
    refuse_writes(race);
    advance(race, LEASE + SECOND);
    accept_writes(race);
    need_refused_renewal(a);
    note(race, "a lease and a second later: does A know?");
    ask(a);
    note(race, "B tries");
    enter(b);
}
