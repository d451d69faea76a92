// Race 4.2: between looking and renewing, the lock changes hands.
//
// A's watchdog reads the lock and finds that it is A's; its next command is
// slow on the wire. The lease runs out, B takes the lock and dies. Fifteen
// seconds later A's command reaches the server, where the lock is B's now. It
// must not prolong the lease of B's lock.
//
// Usually lost by: a watchdog that reads in one command and renews in another.
// Source: single-beat issue 55.
#include "race.h"

void renewal_check_then_expire(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    note(race, "A's watchdog looks; what it sends then is slow on the wire");
    enter(a);
    end_work(a);
    begin_renewal(a);
    hold_change(a);
    advance(race, LEASE + SECOND);
    note(race, "A's lease is over; B takes the lock and dies");
    enter(b);
    crash(b);
    advance(race, 15 * SECOND);
    note(race, "15 seconds later A's command lands");
    finish(a);
    advance(race, LEASE - 15 * SECOND + SECOND);
    note(race, "a lease and a second after B got the lock C tries");
    must_enter(c, "a lease and a second after B, who is dead, got the lock");
}
