// Race 2.3: the last millisecond of a lease.
//
// A takes the lock and dies. B tries exactly at the end of the lease, and must
// not get in: a key with 30,000 ms to live is still there after 30,000 ms. A
// millisecond later B tries again, and must get in.
//
// Usually lost by: a lock that gets a new lease at every attempt.
// Source: the source of Redis: a key has expired when the time is greater than
// its end.
#include "race_more.h"

void expiry_boundary(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    need_exact_lease(a);
    crash(a);
    advance(race, LEASE);
    note(race, "exactly at the end of the lease B tries");
    must_not_enter(b, "in the last millisecond of A's lease");
    advance(race, MILLISECOND);
    note(race, "a millisecond later B tries again");
    must_enter(b, "a millisecond after the end of A's lease");
}
