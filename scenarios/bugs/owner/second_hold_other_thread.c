// Race: the second hold belongs to another thread.
//
// One thread of A takes the lock and releases it. Then another thread of A
// takes it, with the same handle, and releases it. It is the owner of the
// second hold, as the first thread was of the first one. B tries.
//
// Usually lost by: an owner that is noted once and not for each hold.
// Source: deduced.
#include "race_more.h"

void second_hold_other_thread(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A's first thread takes the lock and releases it");
    enter(a);
    leave(a);
    note(race, "A's second thread takes the lock and releases it");
    enter(second_thread_of(a));
    leave(second_thread_of(a));
    note(race, "B tries");
    must_enter(b, "though A has left as often as it got in");
}
