// Race 3.4: a client that never held the lock releases it.
//
// C was never inside, and releases while A works: a finally block also runs
// after a failed attempt, or a configuration has the wrong name. B tries.
//
// Usually lost by: a release that does not ask whose lock it is.
// Source: ShedLock; the redis.io page on SET.
#include "race.h"

void stranger_releases(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    enter(a);
    note(race, "C, who never held the lock, releases it");
    leave(c);
    note(race, "B tries while A is inside");
    enter(b);
}
