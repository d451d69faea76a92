// Race 5.2: the inner function releases for the outer one.
//
// A has taken the lock twice: in a function, and in another function that the
// first one has called. The inner function releases and returns. The outer one
// works on, and must still have the lock.
//
// Usually lost by: a lock that knows its owner but does not count its acquires.
// Source: the description of recursive mutexes in POSIX, which have a lock
// count.
#include "race_more.h"

void inner_release(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A takes the lock, and again in an inner function");
    enter(a);
    enter(a);
    note(race, "the inner function releases");
    need_two_entries(a);
    leave(a);
    note(race, "B tries while A is inside");
    enter(b);
    note(race, "the outer function releases");
    leave_if_inside(a);
    note(race, "B tries again");
    must_enter(b, "though A has left as often as it got in");
}
