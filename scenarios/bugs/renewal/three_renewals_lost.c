// Race: three renewals are lost, and not in a row.
//
// A works for a long time. Its network fails three times, for ten seconds each,
// so that a renewal is lost each time; the next one gets through. If a lease is
// renewed every third of it, it survives that. A lease and a second after the
// last failure B tries.
//
// Usually lost by: a watchdog that gives up after a number of failures and
// counts all of them, or renews too late to try a second time.
// Source: deduced.
#include "race.h"

void three_renewals_lost(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A's network fails for ten seconds, in which it would renew");
    enter(a);
    renew(a);
    advance(race, 5 * SECOND);
    cut_off(a);
    advance(race, 10 * SECOND);
    reconnect(a);
    advance(race, 10 * SECOND);
    note(race, "the same a second time");
    cut_off(a);
    advance(race, 10 * SECOND);
    reconnect(a);
    advance(race, 10 * SECOND);
    note(race, "and a third time");
    cut_off(a);
    advance(race, 10 * SECOND);
    reconnect(a);
    note(race, "a lease and a second later B tries while A is at work");
    advance(race, LEASE + SECOND);
    must_not_enter(b, "though A is at work and can renew its lease");
}
