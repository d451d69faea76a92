// Race: a client takes over a second time.
//
// A dies. A lease later B takes its lock over, and releases. C takes the lock
// and dies, too. B tries while C's lease lasts, and tries again when it is
// over: then B must get in, as it did the first time.
//
// Usually lost by: what a client remembers of an earlier takeover; a loser
// whose attempt prolongs the lock of the dead.
// Source: deduced.
#include "race.h"

void second_takeover(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    note(race, "A dies; a lease later B takes its lock over, and releases");
    enter(a);
    crash(a);
    advance(race, LEASE + SECOND);
    enter(b);
    leave_if_inside(b);
    note(race, "C takes the lock and dies; half a lease later B tries");
    enter(c);
    crash(c);
    advance(race, LEASE / 2);
    enter(b);
    note(race, "when the lease of C is over, B tries again");
    advance(race, LEASE / 2 + 2 * SECOND);
    must_enter(b, "two seconds after the lease of C, who is dead");
}
