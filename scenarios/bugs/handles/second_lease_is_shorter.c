// Race: a second lock has a shorter lease than the first.
//
// A uses two locks. The first has a lease of 30 seconds, the second of 6. A
// holds both, and works for longer than the second lease. B tries to get the
// second lock.
//
// Usually lost by: a watchdog whose period is worked out once for the process,
// from the lock that was opened first. It renews the second lock too late.
// Source: deduced.
#include "race_more.h"

void second_lease_is_shorter(struct race *race) {
    struct client *a = race_client_of_two(race, "A");
    struct client *b = race_client_of_two(race, "B");
    struct client *a2 = second_lock_of(a), *b2 = second_lock_of(b);

    need_exact_instants(race);
    note(race, "A opens its second lock anew, with a lease of 6 seconds");
    reopen_for(a2, 6 * SECOND);
    note(race, "A takes the first lock, and it is renewed; then the second");
    enter(a);
    renew(a);
    enter(a2);
    note(race, "7 seconds later B tries to get the second lock");
    advance(race, 7 * SECOND);
    must_not_enter(b2, "though A is at work and can renew its lease");
}
