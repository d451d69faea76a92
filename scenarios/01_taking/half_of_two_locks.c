// Race 1.9: a client that needs two locks dies with one of them.
//
// A takes the first of two locks and is killed before it takes the second. A
// second after the lease B needs both.
//
// Usually lost by: a lock without a lease.
// Source: Redisson issue 467.
#include "race_more.h"

void half_of_two_locks(struct race *race) {
    struct client *a = race_client_of_two(race, "A");
    struct client *b = race_client_of_two(race, "B");
    struct client *b2 = second_lock_of(b);

    note(race, "A takes the first of two locks and dies");
    enter(a);
    crash(a);
    advance(race, LEASE + SECOND);
    note(race, "a second after the lease B needs both");
    must_enter(b, "to the first lock, a second after A's lease");
    must_enter(b2, "to the second lock, which nobody holds");
}
