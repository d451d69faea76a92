// Race 1.8: the answer that grants the lock comes when its lease is over.
//
// A's attempt runs on the server at once, but the last answer is slow on its
// way back. When it arrives, the lease is over and B is inside. A reads that it
// has the lock, and goes in.
//
// Usually lost by: a client that does not compare the time of its attempt with
// the lease.
// Source: node-redlock pull request 369; Symfony issue 22542.
#include "race.h"

void late_grant(struct race *race) {
    struct client *z = race_client(race, "Z");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "Z shows how many commands it takes to get in");
    int commands = enter(z);
    leave(z);
    note(race, "A's attempt runs; its last answer is slow");
    begin_enter(a);
    hold_answer(a, commands);
    advance(race, LEASE + SECOND);
    note(race, "a lease and a second later B tries");
    enter(b);
    note(race, "A hears that it was let in");
    finish(a);
}
