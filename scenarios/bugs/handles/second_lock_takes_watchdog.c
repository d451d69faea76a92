// Race: a second lock takes the watchdog of the first.
//
// A uses two locks. It holds the first, whose lease is renewed. It takes and
// releases the second, and works on under the first for longer than a lease. B
// tries to get the first.
//
// Usually lost by: one watchdog for all locks of a process.
// Source: deduced.
#include "race_more.h"

void second_lock_takes_watchdog(struct race *race) {
    struct client *a = race_client_of_two(race, "A");
    struct client *b = race_client(race, "B");
    struct client *a2 = second_lock_of(a);

    note(race, "A holds the first lock, and its lease is renewed");
    enter(a);
    renew(a);
    note(race, "A takes and releases the second lock");
    enter(a2);
    leave(a2);
    note(race, "more than a lease later B tries to get the first");
    advance(race, LEASE + SECOND);
    must_not_enter(b, "though A is at work and can renew its lease");
}
