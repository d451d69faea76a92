// Race 3.5: a client releases a second time.
//
// C has held the lock and released it. A holds it now. C releases once more,
// for instance in a finally block around another finally block. B tries.
//
// Usually lost by: a release that does not ask whose lock it is.
// Source: redis-lock issue 38.
#include "race.h"

void release_twice(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    note(race, "C takes the lock and releases it; A takes it");
    enter(c);
    leave(c);
    enter(a);
    note(race, "C releases a second time");
    leave(c);
    note(race, "B tries while A is inside");
    enter(b);
}
