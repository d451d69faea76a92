// Race: a refused attempt ends the renewal.
//
// A is inside, and its lease is renewed. Another thread of A tries to get in
// with the same handle. It is not the owner, so it is refused. That must change
// nothing for the owner, who works for longer than a lease. B tries.
//
// Usually lost by: an acquire that stops the watchdog, or drops the token,
// before it knows whether it will get in.
// Source: deduced.
#include "race_more.h"

void refused_attempt_ends_renewal(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A is inside, and its lease is renewed");
    enter(a);
    renew(a);
    note(race, "another thread of A tries, and is refused");
    enter(second_thread_of(a));
    note(race, "more than a lease later B tries while A is at work");
    advance(race, LEASE + SECOND);
    must_not_enter(b, "though A is at work and can renew its lease");
}
