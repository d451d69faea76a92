// Race: a slow renewal of another lock blocks this one's.
//
// A has held its first lock and released it. Now it takes both its locks. A
// renewal of the second one is slow: A hears nothing of it for more than a
// lease, or until it gives up. That must not keep A from renewing the first
// one. B tries to get that while A is at work.
//
// Usually lost by: one connection, or one thread, for all renewals, which waits
// too long for an answer.
// Source: deduced.
#include "race_more.h"

void slow_renewal_of_another_lock(struct race *race) {
    struct client *a = race_client_of_two(race, "A");
    struct client *b = race_client_of_two(race, "B");
    struct client *a2 = second_lock_of(a);

    need_exact_instants(race);
    enter(a);
    leave(a);
    note(race, "A takes its second lock, and after a renewal its first");
    enter(a2);
    renew(a);
    advance(race, SECOND);
    enter(a);
    note(race, "the next renewal of the second lock is slow");
    begin_renewal(a);
    be_slow(a, LEASE + SECOND);
    note(race, "more than a lease later B tries to get the first lock");
    must_still_hold(a);
    must_not_enter(b, "though A is at work and can renew its lease");
}
