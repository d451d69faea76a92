// Race: the lock has no lease when somebody begins to wait.
//
// An operator has taken the lease off A's lock. B wants to wait, and the server
// says that the lock never ends. B must not take that for the end of a lease:
// it would ask again at once, and again. A message must still reach it when A
// releases.
//
// Usually lost by: a waiter that sleeps for as long as PTTL says, also if PTTL
// says -1.
// Source: deduced.
#include "race.h"

void waiting_without_lease(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    note(race, "an operator takes the lease off the lock; then B waits");
    operate(race, "PERSIST KEY");
    wait_for_lock(b, MINUTE);
    advance(race, SECOND);
    note(race, "A releases");
    leave(a);
    advance(race, SECOND);
    must_have_got_in(b, "a second after A has released");
}
