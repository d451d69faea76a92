// Race 13.5: a waiter goes by what it saw when it began to wait.
//
// The lease is three seconds. B begins to wait for A's lock. A second later A
// leaves, and C takes the lock before B looks again. When A's lease would have
// ended, C is inside, with a lease of its own. B must not get in: what it saw
// at first is not true any more.
//
// Usually lost by: a waiter that looks in one transaction, and sees the same
// old row each time.
// Source: spring-integration issue 3683.
#include "race_more.h"

void old_snapshot(struct race *race) {
    set_lease(race, 3 * SECOND);
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    enter(a);
    note(race, "B begins to wait for A");
    wait_for_lock(b, MINUTE);
    advance(race, SECOND);
    note(race, "A leaves, and C gets in before B looks again");
    leave(a);
    enter(c);
    note(race, "the lease that A had would be over now");
    advance(race, 2500 * MILLISECOND);
}
