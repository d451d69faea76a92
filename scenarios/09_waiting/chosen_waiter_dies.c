// Race 9.4: the waiter that is woken dies.
//
// B and C wait. A releases. The signal that wakes B is on its way when B is
// killed. The lock is free, and C must get in, although it was B's turn.
//
// Usually lost by: a signal that goes to one waiter only, and is gone with it.
// Source: deduced from the signal of python-redis-lock, a list.
#include "race.h"

void chosen_waiter_dies(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    enter(a);
    note(race, "B waits, and then C");
    wait_for_lock(b, MINUTE);
    wait_for_lock(c, MINUTE);
    leave(a);
    note(race, "B is killed before it can take the lock");
    crash(b);
    advance(race, SECOND);
    must_have_got_in(c, "a second after A has released");
}
