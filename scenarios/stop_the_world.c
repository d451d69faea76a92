// Race 2.2: the holder's whole process stops for longer than the lease.
//
// A garbage collection, a swapped-out page, a virtual machine that moves: A
// stands still for 40 seconds in the middle of its work, every thread of it.
// The lease runs out and B gets in. Then A goes on as if nothing had happened.
//
// Lost by: every lock with a lease: a stopped process cannot renew, and
// cannot know.
// Source: Kleppmann, How to do distributed locking; Curator Tech Note 10.
#include "race.h"

int main(int argc, char **argv) {
    struct race *race = race_open(argc, argv, "stop_the_world");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A stops in the middle of its work");
    enter(a);
    stop(a);
    advance(race, LEASE + SECOND);
    note(race, "a second after the lease B tries");
    enter(b);
    advance(race, 9 * SECOND);
    note(race, "A goes on with its work");
    resume(a);
    return race_close(race);
}
