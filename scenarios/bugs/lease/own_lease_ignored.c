// Race: a lease of the caller's own is ignored.
//
// A takes the lock for one second and is killed. A second after the end of this
// lease B tries.
//
// Usually lost by: an acquire that takes a lease of its own and sends the usual
// one.
// Source: deduced.
#include "race_more.h"

void own_lease_ignored(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A takes the lock for a second, and is killed");
    enter_for(a, 1 * SECOND);
    crash(a);
    note(race, "a second after the end of this lease B tries");
    advance(race, 2 * SECOND);
    must_enter(b, "a second after the lease that A had asked for");
}
