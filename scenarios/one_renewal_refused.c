// Race 14.10: the server refuses one renewal.
//
// A works, and the server refuses a renewal with an error: it takes no writes
// for a moment. A's lock is still there. The next renewal would succeed, and a
// lease that is renewed every third of it leaves time for that. A lease and a
// second later B tries.
//
// Usually lost by: a watchdog that takes an error for "the lock is not yours
// any more", or ends with its first error.
// Source: Redisson issue 3194, where a watchdog ended with an exception.
#include "race.h"

int main(int argc, char **argv) {
    struct race *race = race_open(argc, argv, "one_renewal_refused");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "the server refuses one of A's renewals");
    enter(a);
    begin_renewal(a);
    refuse_command(a);
    finish(a);
    note(race, "a lease and a second later B tries while A is at work");
    advance(race, LEASE + SECOND);
    must_not_enter(b, "though A is at work and can renew its lease");
    return race_close(race);
}
