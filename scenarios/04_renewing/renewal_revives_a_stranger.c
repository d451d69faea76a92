// Race 4.1: a watchdog keeps somebody else's lock alive.
//
// A's renewal is slow on the wire, and A's lease runs out. B takes the lock
// and dies. A's renewal reaches the server, and A's watchdog goes on renewing.
// If a renewal does not ask whose lock it is, the lock of B, which is dead,
// stays for as long as A's process lives.
//
// Usually lost by: a watchdog that renews whatever lock it finds.
// Source: Redisson issue 597.
#include "race.h"

void renewal_revives_a_stranger(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    note(race, "A's renewal is slow on the wire");
    enter(a);
    end_work(a);
    begin_renewal(a);
    advance(race, LEASE + SECOND);
    note(race, "A's lease is over; B takes the lock and dies");
    enter(b);
    crash(b);
    note(race, "A's renewal lands");
    finish(a);
    advance(race, 2 * LEASE);
    note(race, "two leases later C tries");
    must_enter(c, "two leases after B, who is dead, got the lock");
}
