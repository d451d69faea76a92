// Race 1.10: two clients hold one lock each and want the other.
//
// A has the first lock and wants the second; B has the second and wants the
// first. Neither releases before it has both. B waits for ever; A tries again a
// lease later. A lease ends B's lock, and with it the deadlock, although B has
// released nothing. A watchdog keeps both locks, and the deadlock lasts.
//
// Usually lost by: a lock without a lease, and a watchdog that renews while its
// holder waits.
// Source: Redisson issue 467.
#include "race_more.h"

void ab_ba_deadlock(struct race *race) {
    struct client *a = race_client_of_two(race, "A");
    struct client *b = race_client_of_two(race, "B");
    struct client *a2 = second_lock_of(a);
    struct client *b2 = second_lock_of(b);

    note(race, "A has the first lock, B the second");
    enter(a);
    enter(b2);
    note(race, "each wants the other's, and waits");
    enter(a2);
    enter(b);
    hang(b);
    advance(race, LEASE + SECOND);
    note(race, "a second after the lease A tries again");
    must_enter(a2, "to the second lock: A and B wait for each other");
}
