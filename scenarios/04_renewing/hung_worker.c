// Race 4.5: the holder's worker hangs, and its process lives.
//
// A's worker waits for ever: in a deadlock, or on a socket without a time-out.
// The process of A lives, with all its other threads. A does nothing any more
// that needs the lock, and it will never release it. Two leases and a second
// later B tries: can anybody ever get in again?
//
// Usually lost by: a lock without a lease, and one that is renewed for as long
// as a process lives.
// Source: Redisson issue 2590.
#include "race.h"

void hung_worker(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A takes the lock, and its worker hangs for ever");
    enter(a);
    hang(a);
    advance(race, 2 * LEASE + SECOND);
    note(race, "two leases and a second later B tries");
    must_enter(b, "two leases after A's worker hung");
}
