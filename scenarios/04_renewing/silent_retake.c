// Race 4.4: a renewal takes a lost lock again and says nothing.
//
// A does two pieces of work under one lock. Between the two its renewal is slow
// on the wire, and the lease runs out. B takes the lock and releases it. Then
// A's renewal reaches the server. Because B was inside meanwhile, A must know
// of the loss before it begins its second piece of work.
//
// Usually lost by: a renewal that makes the key again when it is gone, and does
// not tell the holder.
// Source: redlock-rb issue 36, redis-semaphore issue 175, RedLock.net issue
// 48.
#include "race_more.h"

void silent_retake(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A is between two pieces of work; its renewal is slow on the wire");
    enter(a);
    end_work(a);
    begin_renewal(a);
    outlast_lease(race);
    note(race, "A's lease is over; B comes and goes");
    enter(b);
    leave(b);
    note(race, "A's renewal lands: does A know?");
    finish(a);
    must_know_of_loss(a);
}
