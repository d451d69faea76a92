// Race: a late release prolongs a dead client's lock.
//
// A's release is slow on the wire. The lease runs out, B takes the lock and is
// killed. Twenty seconds later A's command reaches the server. It finds a lock
// that is not A's, and must leave it as it is, with the lease that it has. When
// B's lease is over, C tries.
//
// Usually lost by: a release that sets the lease before it asks whose lock it
// is.
// Source: deduced.
#include "race.h"

void late_release_prolongs(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    need_exact_instants(race);
    enter(a);
    advance(race, 29 * SECOND);
    note(race, "A releases in time; what changes the lock is slow on the wire");
    begin_leave(a);
    hold_change(a);
    advance(race, LEASE + SECOND);
    note(race, "a lease and a second later B takes the lock and is killed");
    enter(b);
    crash(b);
    advance(race, 20 * SECOND);
    note(race, "A's command lands");
    finish(a);
    note(race, "a second after the end of B's lease C tries");
    advance(race, LEASE - 20 * SECOND + SECOND);
    must_enter(c, "a second after the end of B's lease");
}
