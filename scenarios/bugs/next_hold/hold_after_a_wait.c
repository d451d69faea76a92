// Race: a hold follows after a wait.
//
// A is inside. B waits for twenty seconds, until A releases, and gets in. B's
// lease begins then, and not when B began to wait. Half a lease later C tries,
// and is refused.
//
// Usually lost by: a deadline that is made when the wait begins.
// Source: deduced.
#include "race.h"

void hold_after_a_wait(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    note(race, "B waits for twenty seconds, until A releases");
    enter(a);
    wait_for_lock(b, MINUTE);
    advance(race, 20 * SECOND);
    leave(a);
    advance(race, SECOND);
    must_have_got_in(b, "a second after A has released");
    note(race, "half a lease later C tries");
    advance(race, LEASE / 2);
    must_not_enter(c, "half a lease after B got in");
}
