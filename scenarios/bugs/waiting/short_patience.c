// Race: a waiter's patience is shorter than the lease.
//
// B waits for ten seconds. A's lease ends in thirty, so that is no instant for
// which B could sleep: only a message can wake it in time. A releases after
// five seconds. B must get in then, and not find out when its patience is over.
//
// Usually lost by: a waiter that just sleeps to the end of its patience, if
// that comes first.
// Source: deduced.
#include "race.h"

void short_patience(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    note(race, "B has patience for ten seconds; A releases after five");
    wait_for_lock(b, 10 * SECOND);
    advance(race, 5 * SECOND);
    leave(a);
    advance(race, SECOND);
    must_have_got_in(b, "a second after A has released");
}
