// Race 5.7: two threads share one lock object.
//
// A thread of A holds the lock. Another thread of A tries with the same object
// and is told no. This attempt must not change the object: when the first
// thread releases, the lock must be free, and B must get in.
//
// Usually lost by: a lock object that forgets its hold when another thread
// tries, or that counts it as a nested call.
// Source: redis-py issue 384.
#include "race_more.h"

void shared_handle(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "a thread of A takes the lock; another one tries");
    enter(a);
    enter(second_thread_of(a));
    must_have_given_up(a, "on a second thread, while the first one is inside");
    note(race, "the first one releases");
    leave(a);
    note(race, "B tries");
    must_enter(b, "though A has released");
}
