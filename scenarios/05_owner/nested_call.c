// Race 5.1: the owner takes the lock again in an inner function.
//
// A holds the lock and calls a function that takes it too, because that
// function is also called from other places. If the lock does not know its
// owner, A waits for itself. When A has released as often as it got in, B must
// get in.
//
// Usually lost by: a lock that does not know its owner.
// Source: the description of recursive mutexes in POSIX, whose owner may take
// them again.
#include "race.h"

void nested_call(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A takes the lock");
    enter(a);
    note(race, "A calls a function that takes it too");
    must_enter(a, "again, though the lock is its own");
    note(race, "A leaves as often as it got in");
    leave_if_inside(a);
    leave_if_inside(a);
    note(race, "B tries");
    must_enter(b, "though A has left");
}
