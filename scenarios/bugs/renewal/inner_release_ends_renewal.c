// Race: an inner release ends the renewal.
//
// A is inside twice, and its lease is renewed. The inner function releases and
// returns. The outer one works for longer than a lease, and its lock must be
// renewed all that time. B tries.
//
// Usually lost by: a release that stops the watchdog though it is not the last
// one.
// Source: deduced.
#include "race_more.h"

void inner_release_ends_renewal(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A is inside twice, and its lease is renewed");
    enter(a);
    enter(a);
    renew(a);
    note(race, "the inner function releases");
    need_two_entries(a);
    leave(a);
    note(race, "more than a lease later B tries while A is at work");
    advance(race, LEASE + SECOND);
    must_not_enter(b, "though A has left once of twice and can renew");
}
