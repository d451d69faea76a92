// Race 1.3: the holder dies in the middle of taking the lock.
//
// A's first command has run on the server. A is killed before it sends its next
// one; or, if there is no next one, before it gets the answer. What that one
// command has written stays on the server. An hour later B tries: can it get
// in?
//
// Usually lost by: a lock that is taken by one command and limited by another,
// or not at all.
// Source: redis-py issue 818.
#include "race.h"

void crash_mid_acquire(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A's first command runs, and A dies before it hears of it");
    begin_enter(a);
    run_command(a);
    crash(a);
    advance(race, HOUR);
    note(race, "an hour later B tries");
    must_enter(b, "an hour after A died");
}
