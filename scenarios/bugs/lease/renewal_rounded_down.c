// Race: a renewal is rounded down to whole seconds.
//
// The lease is 2.5 seconds. A works for five seconds, and its lease is renewed
// in time. Then A loses its network just after a renewal. A millisecond before
// the end of the renewed lease B tries.
//
// Usually lost by: a watchdog that counts in whole seconds: it wakes too late,
// or it renews for two seconds.
// Source: deduced.
#include "race_more.h"

void renewal_rounded_down(struct race *race) {
    set_lease(race, 2500 * MILLISECOND);
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A works for twice its lease of 2.5 seconds, and B tries");
    enter(a);
    renew(a);
    advance(race, 5 * SECOND);
    must_not_enter(b, "though A is at work and can renew its lease");
    note(race, "A loses its network just after a renewal");
    renew(a);
    cut_off(a);
    note(race, "a millisecond before the end of the lease B tries again");
    advance(race, 2499 * MILLISECOND);
    must_not_enter(b, "before the 2.5 seconds are over");
}
