// Race: a client's second hold is not renewed.
//
// A takes the lock, and its lease is renewed once. A releases, takes the lock
// again, and works for longer than a lease. The second hold must be renewed
// like the first one. B tries while A is at work.
//
// Usually lost by: a watchdog that was stopped for the first release and never
// starts again, because the flag that stops it is never lowered.
// Source: deduced.
#include "race.h"

void second_hold_not_renewed(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A's first hold is renewed, and A releases");
    enter(a);
    renew(a);
    leave(a);
    note(race, "A takes the lock again and works for longer than a lease");
    enter(a);
    advance(race, LEASE + SECOND);
    note(race, "B tries while A is at work");
    must_not_enter(b, "though A is at work and can renew its lease");
}
