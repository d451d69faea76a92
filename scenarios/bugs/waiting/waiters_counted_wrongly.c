// Race: waiters are counted wrongly after a free lock.
//
// A is ready to wait, finds the lock free, and releases it. Then A is inside,
// and B really has to wait. A releases. B must be woken: the count on the
// server must not say, because of A's own wait, that nobody waits.
//
// Usually lost by: a count of waiters that a client lowers without having
// raised it.
// Source: deduced.
#include "race_more.h"

void waiters_counted_wrongly(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    leave(a);
    note(race, "A is ready to wait, and the lock is free");
    wait_for_lock(a, MINUTE);
    advance(race, SECOND);
    must_have_got_in(a, "though the lock is free");
    need_no_wait(a);
    leave(a);
    note(race, "A is inside, and B waits");
    enter(a);
    wait_for_lock(b, MINUTE);
    leave(a);
    advance(race, SECOND);
    must_have_got_in(b, "a second after A has released");
}
