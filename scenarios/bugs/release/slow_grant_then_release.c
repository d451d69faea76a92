// Race: a release does not find the lock of a slow grant.
//
// A's attempt runs, and its answer takes three seconds. A gets in, does its
// work, and releases. Its release must find the lock that the attempt has
// made. B tries.
//
// Usually lost by: a client that recognises its lock by the value it would
// write when the answer comes, and not by the value it wrote.
// Source: deduced.
#include "race.h"

void slow_grant_then_release(struct race *race) {
    struct client *z = race_client(race, "Z");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "Z shows how many commands it takes to get in");
    int commands = enter(z);
    leave(z);
    note(race, "A's attempt runs; its last answer takes three seconds");
    begin_enter(a);
    hold_answer(a, commands);
    advance(race, 3 * SECOND);
    finish(a);
    note(race, "A releases, and B tries");
    leave(a);
    must_enter(b, "though A has released");
}
