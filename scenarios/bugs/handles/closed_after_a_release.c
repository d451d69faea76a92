// Race: a handle is closed after its lock was released.
//
// A takes the lock and releases it, and B takes it. A closes its handle and
// opens a new one, as a program does that ends and is started again. That must
// not touch B's lock. C tries.
//
// Usually lost by: a handle that releases when it is closed, to be safe, and
// does not know that it has released.
// Source: deduced.
#include "race_more.h"

void closed_after_a_release(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    note(race, "A takes the lock and releases it; B takes it");
    enter(a);
    leave(a);
    enter(b);
    note(race, "A closes its handle and opens a new one; C tries");
    reopen(a);
    enter(c);
}
