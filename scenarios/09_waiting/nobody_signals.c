// Race 9.2: the holder dies, and nobody tells those who wait.
//
// B waits for A, whose lease is three seconds. A is killed: it releases
// nothing, so no message comes. Its lease ends by itself, and the server tells
// nobody. B must get in then.
//
// Usually lost by: a waiter that relies on the message alone; a lock without a
// lease.
// Source: python-redis-lock, whose waiters sleep until a signal comes.
#include "race_more.h"

void nobody_signals(struct race *race) {
    set_lease(race, 3 * SECOND);
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    wait_for_lock(b, MINUTE);
    note(race, "A is killed: nobody will ever release its lock");
    crash(a);
    outlast_lease(race);
    must_have_got_in(b, "a second after the lease of A, who is dead");
}
