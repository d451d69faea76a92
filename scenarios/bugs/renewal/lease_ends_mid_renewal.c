// Race: the lease ends in the middle of a renewal.
//
// A's renewal looks whose the lock is, and then writes. Between the two
// commands the lease ends. The write finds nothing. B tries. If it gets in, A
// must know that it is outside.
//
// Usually lost by: a renewal that does not look what its write was answered.
// Source: deduced.
#include "race_more.h"

void lease_ends_mid_renewal(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A's renewal has read; before it writes, the lease ends");
    enter(a);
    begin_renewal(a);
    hold_later_command(a, 2);
    outlast_lease(race);
    finish(a);
    note(race, "B tries");
    enter(b);
}
