// Race 4.4: a renewal takes a lost lock again and says nothing.
//
// A is between two pieces of work under one lock, and its renewal is slow. The
// lease runs out; B comes and goes. A's renewal lands. A has been without the
// lock and somebody else was inside: before its next piece A must know.
//
// Lost by: a renewal that sets a key which is gone, and does not tell.
// Source: redlock-rb issue 36, redis-semaphore issue 175, RedLock.net issue
// 48.
#include "race.h"

int main(int argc, char **argv) {
    struct race *race = race_open(argc, argv, "silent_retake");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A is between two pieces of work; its renewal is slow on the wire");
    enter(a);
    end_work(a);
    begin_renewal(a);
    outlast_lease(race);
    note(race, "A's lease is over; B comes and goes");
    enter(b);
    leave(b);
    note(race, "A's renewal lands: does A know?");
    finish(a);
    must_know_of_loss(a);
    return race_close(race);
}
