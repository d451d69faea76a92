// Race 1.1: two processes take the same lock.
//
// A takes the lock. B, another process, tries while A is inside, and must not
// get in. This is what a lock is for.
//
// Usually lost by: a lock in the memory of one process, which the others do not
// see.
// Source: the first property of a lock in the Redis documentation on
// distributed locks: mutual exclusion.
#include "race.h"

void two_processes(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A takes the lock");
    enter(a);
    note(race, "B, another process, tries while A is inside");
    enter(b);
}
