// Race: silence on the wire ends a short lease.
//
// The lease is three seconds. A's first renewal is lost on the wire, and its
// connection stays silent, so that A waits for an answer as long as it is ready
// to. There must be time left for another renewal. Half a second after the end
// of the first lease B tries.
//
// Usually lost by: a time-out of the watchdog's connection that does not depend
// on the lease.
// Source: deduced.
#include "race_more.h"

void silence_ends_a_short_lease(struct race *race) {
    set_lease(race, 3 * SECOND);
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A's renewal is lost, and A hears nothing");
    enter(a);
    begin_renewal(a);
    hear_nothing(a);
    note(race, "half a second after the end of the first lease B tries");
    advance_until(race, 3500 * MILLISECOND);
    must_not_enter(b, "though A is at work and can renew its lease");
}
