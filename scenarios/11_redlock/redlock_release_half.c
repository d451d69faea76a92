// Race 11.8: a release reaches two of three masters.
//
// A and B reach the first three of five masters. A gets the lock on all three.
// Then it cannot reach the third any more, and releases. On that one its key
// stays until the lease is over. Then B must get in.
//
// Usually lost by: a lock without a lease.
// Source: the Redis documentation on distributed locks: a lock that its client
// can no longer release costs others a lease.
#include "race_more.h"

void redlock_release_half(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct server *third = race_server(race, 3);
    struct server *fourth = race_server(race, 4);
    struct server *fifth = race_server(race, 5);

    note(race, "A gets the lock on the three masters that it reaches");
    cut_off_from(a, fourth);
    cut_off_from(a, fifth);
    cut_off_from(b, fourth);
    cut_off_from(b, fifth);
    enter(a);
    note(race, "A's release reaches two of them");
    cut_off_from(a, third);
    leave(a);
    note(race, "B tries at once, and a second after the lease");
    enter(b);
    advance(race, LEASE + SECOND);
    must_enter(b, "though A's last key has ended");
}
