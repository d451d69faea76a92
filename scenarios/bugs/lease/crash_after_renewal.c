// Race: a holder dies after its lease has been renewed.
//
// A's watchdog renews the lease, and renews it again. Then A is killed. A's
// lock must be gone one lease after the last renewal. A lease and a second
// later B tries.
//
// Usually lost by: a renewal that gives the lock another lease than the acquire
// did: EXPIRE with milliseconds, or a lease that is added to what is left.
// Source: the Redis documentation on EXPIRE: it takes seconds, PEXPIRE takes
// milliseconds.
#include "race.h"

void crash_after_renewal(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A's lease is renewed twice, and A dies");
    enter(a);
    renew(a);
    advance(race, 11 * SECOND);
    crash(a);
    advance(race, LEASE + SECOND);
    note(race, "a lease and a second later B tries");
    must_enter(b, "a lease and a second after A's last renewal");
}
