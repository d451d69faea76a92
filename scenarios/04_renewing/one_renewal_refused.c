// Race 4.10: the server refuses one renewal.
//
// A works and renews its lease. Then the server refuses a renewal with an
// error: it takes no writes for a moment. A's lock is still there, and A must
// not say that it is lost. The next renewal comes in time, a third of a lease
// later, and succeeds. A lease later B tries.
//
// Usually lost by: a watchdog that takes an error for "the lock is not yours
// any more", or ends with it; a belief that a lost renewal ends.
// Source: Redisson issue 3194, where a watchdog ended with an exception.
#include "race_more.h"

void one_renewal_refused(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "the server refuses A's second renewal");
    enter(a);
    renew(a);
    begin_renewal(a);
    refuse_command(a);
    finish(a);
    note(race, "nearly until the next renewal A's lock is there, and A asks itself");
    advance(race, LEASE / 3 - SECOND);
    must_believe(a);
    note(race, "a lease later B tries while A is at work");
    advance(race, LEASE + 2 * SECOND);
    must_not_enter(b, "though A is at work and can renew its lease");
}
