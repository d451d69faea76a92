// Race 7.5: somebody empties the server.
//
// A test suite runs against the wrong server, or an operator types FLUSHALL on
// the wrong machine. A is inside, and its lock is gone. B tries.
//
// Usually lost by: every lock on one server.
// Source: the Redis documentation on FLUSHALL; replayed here.
#include "race.h"

void flushall(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    operate(race, "FLUSHALL");
    note(race, "B tries while A is inside");
    enter(b);
}
