// Race: a wait begins in the last moment of somebody's lease.
//
// A takes the lock and dies. When its lease ends, to the millisecond, B begins
// to wait. The lock may be there still, with less than a millisecond to live.
// Two seconds later B must be inside. Its patience is longer than that.
//
// Usually lost by: a lock without a lease, or whose losers prolong it; or a
// sleep whose length is what is left of the lease, rounded down. To a server
// the length 0 means "for ever".
// Source: deduced.
#include "race.h"

void wait_in_the_last_moment(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    enter(a);
    leave(a);
    note(race, "A takes the lock, and dies");
    enter(a);
    crash(a);
    note(race, "B begins to wait at the end of A's lease");
    advance(race, LEASE);
    wait_for_lock(b, MINUTE);
    advance(race, 2 * SECOND);
    must_have_got_in(b, "two seconds after the end of the lease");
}
