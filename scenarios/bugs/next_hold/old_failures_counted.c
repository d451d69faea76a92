// Race: failures of an old hold are counted in the next.
//
// A's network fails for twenty seconds, so that two renewals in a row are lost.
// A releases after that and takes the lock again. In the second hold it fails
// for ten seconds, and one renewal is lost. That is no reason to give up. A
// lease and a second later B tries.
//
// Usually lost by: a watchdog that gives up after some failures in a row and
// does not begin to count anew with each hold.
// Source: deduced.
#include "race.h"

void old_failures_counted(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A loses two renewals in a row");
    enter(a);
    renew(a);
    advance(race, 5 * SECOND);
    cut_off(a);
    advance(race, 20 * SECOND);
    reconnect(a);
    note(race, "A releases and takes the lock again");
    leave(a);
    enter(a);
    note(race, "A loses one renewal");
    advance(race, 5 * SECOND);
    cut_off(a);
    advance(race, 10 * SECOND);
    reconnect(a);
    note(race, "a lease and a second later B tries while A is at work");
    advance(race, LEASE + SECOND);
    must_not_enter(b, "though A is at work and can renew its lease");
}
