// Race 3.2: the release is slow on the wire.
//
// A releases in time. The command that can change the lock is delayed in the
// network, and nothing limits such a delay. The lease runs out, and B takes the
// lock. Then A's command reaches the server. C tries.
//
// Usually lost by: a release whose last command does not ask whose lock it is.
// Source: Kleppmann's delayed packet, here for the release.
#include "race_more.h"

void delayed_delete(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    enter(a);
    advance(race, 29 * SECOND);
    note(race, "A releases in time; what changes the lock is slow on the wire");
    begin_leave(a);
    hold_write(a);
    advance(race, LEASE + SECOND);
    note(race, "a lease and a second later B tries");
    enter(b);
    note(race, "A's command lands");
    finish(a);
    note(race, "C tries");
    enter(c);
}
