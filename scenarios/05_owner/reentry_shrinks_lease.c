// Race 5.4: a nested acquire with a shorter lease cuts the outer one.
//
// A takes the lock. A function that it calls takes it too, for a second, and
// works for two seconds. The function's own lease is over then, but A's has 28
// seconds left. B tries, and must not get in. It is no excuse if A notices the
// loss: the lock should not have been lost.
//
// Usually lost by: a lock whose every acquire can bring a lease, where the last
// one counts.
// Source: Redisson issue 1110.
#include "race_more.h"

void reentry_shrinks_lease(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A takes the lock");
    enter(a);
    note(race, "A calls a function that takes it too, for a second");
    enter_for(a, 1 * SECOND);
    note(race, "two seconds later B tries while A is inside");
    advance(race, 2 * SECOND);
    must_not_enter(b, "though 28 seconds of A's lease are left");
}
