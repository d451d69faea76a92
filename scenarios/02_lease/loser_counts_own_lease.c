// Race 2.9: a loser counts its own lease, not the holder's.
//
// Two programs use one lock. A has opened it with a lease of 30 seconds, B with
// one of 5: its work is short. A is inside for 10 seconds when B tries. It must
// not get in: A's lease is the one that A has asked for.
//
// Usually lost by: a lock that stores when it was taken: each reader adds its
// own lease to that.
// Source: npm-lockfile issue 30, where a lock of files takes the lease of the
// client that asks.
#include "race_more.h"

void loser_counts_own_lease(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "B has opened the lock with a lease of 5 seconds");
    reopen_for(b, 5 * SECOND);
    enter(a);
    advance(race, 10 * SECOND);
    note(race, "A has been inside for 10 seconds; B tries");
    must_not_enter(b, "though A's lease is 30 seconds");
}
