// Race: the lease is renewed while somebody waits for its end.
//
// B finds the lock taken, and learns how much is left of A's lease. A works on,
// and its watchdog renews. Then A is killed. B wakes when the lease that it
// knows of would have ended, and finds the lock taken. How long it sleeps now
// must follow from the lease as it is, not as it was.
//
// Usually lost by: a waiter that asks only once what is left of the lease.
// Source: deduced.
#include "race.h"

void renewed_while_waiting(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    wait_for_lock(b, 2 * MINUTE);
    note(race, "A works for twenty seconds; a watchdog renews meanwhile");
    advance(race, 20 * SECOND);
    note(race, "A is killed");
    crash(a);
    outlast_lease(race);
    must_have_got_in(b, "a second after the lease of A, who is dead");
}
