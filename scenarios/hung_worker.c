// Race 4.5: the holder's worker hangs, and its process lives.
//
// A's worker waits for something that never comes: a deadlock, a socket without
// a time-out. Its process is up, and so is every other thread of it. It does
// nothing that the lock would have to protect, and it will never release. Two
// leases and a second later B tries: does anybody ever get in?
//
// Lost by: a lock without a lease, and one that is renewed for as long as a
// process lives.
// Source: Redisson issue 2590.
#include "race.h"

int main(int argc, char **argv) {
    struct race *race = race_open(argc, argv, "hung_worker");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A takes the lock, and its worker hangs for ever");
    enter(a);
    hang(a);
    advance(race, 2 * LEASE + SECOND);
    note(race, "two leases and a second later B tries");
    must_enter(b, "two leases after A's worker hung");
    return race_close(race);
}
