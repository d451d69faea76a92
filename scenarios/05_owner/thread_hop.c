// Race 5.6: the lock is taken on one thread and released on another.
//
// One thread of A takes the lock, and another thread releases it, as happens
// with callbacks. If the owner of a lock is a thread, it refuses this release,
// and must say so. The lock then stays taken until its lease is over.
//
// Usually lost by: a lock whose owner is a thread, by design: it refuses, and
// says so.
// Source: Redisson issue 6878.
#include "race_more.h"

void thread_hop(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "one thread of A takes the lock, another one releases it");
    enter(a);
    leave(second_thread_of(a));
    note(race, "B tries");
    must_enter(b, "though another thread of A has released");
}
