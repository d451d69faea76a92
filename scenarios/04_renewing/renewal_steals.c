// Race 4.3: a renewal takes the lock from its new holder.
//
// A's renewal is slow on the wire, and A's lease runs out. B is inside when the
// renewal reaches the server. If a renewal writes A's token into any key that
// it finds, B's lock becomes A's. A releases it, and C gets in while B is
// inside.
//
// Usually lost by: a renewal that writes the holder's token into whatever key
// it finds.
// Source: ShedLock pull request 2593.
#include "race.h"

void renewal_steals(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    note(race, "A's renewal is slow on the wire");
    enter(a);
    end_work(a);
    begin_renewal(a);
    advance(race, LEASE + SECOND);
    note(race, "A's lease is over; B takes the lock");
    enter(b);
    note(race, "A's renewal lands, and A releases");
    finish(a);
    leave(a);
    note(race, "C tries while B is inside");
    enter(c);
}
