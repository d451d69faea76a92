// Race 1.3: the holder dies in the middle of taking the lock.
//
// A's first command runs on the server. A is killed before it sends a second
// one, or before it hears the answer. The command's write stays on the server.
// An hour later B tries: can it get in?
//
// Usually lost by: a lock that gets its lease from a second command, or has
// none.
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
