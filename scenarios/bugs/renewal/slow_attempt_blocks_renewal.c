// Race: a slow attempt blocks the renewals.
//
// A is inside, and its lease is renewed. Then A asks for the same lock once
// more, and this command is very slow on the wire. A waits for its answer for
// more than a lease, or until it gives up. The watchdog must renew meanwhile:
// the network is slow for one connection, and not for the other. More than a
// lease later B tries.
//
// Usually lost by: a watchdog that uses the worker's connection, with a mutex
// or without, and so waits for the worker's answer, however long that takes.
// Source: deduced.
#include "race_more.h"

void slow_attempt_blocks_renewal(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A is inside, and its lease is renewed");
    enter(a);
    renew(a);
    note(race, "A asks for the lock once more, and that is slow");
    begin_enter(a);
    be_slow(a, LEASE + SECOND);
    note(race, "more than a lease later B tries while A is at work");
    must_not_enter(b, "though A is at work and can renew its lease");
    note(race, "A's command arrives");
    finish(a);
}
