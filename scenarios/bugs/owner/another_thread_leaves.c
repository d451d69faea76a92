// Race: another thread releases, and the owner is inside twice.
//
// One thread of A has taken the lock twice: in a function, and in another
// function that the first one has called. Another thread of A, which has not
// got in, releases. If the owner of the lock is a thread, this must be refused.
// If it is a process, one of the two releases has been made. In both cases A
// is still inside, and B must not get in.
//
// Usually lost by: a lock that counts the acquires of a thread, and takes the
// release of another thread for the last one.
// Source: deduced.
#include "race_more.h"

void another_thread_leaves(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "a thread of A takes the lock, and again in an inner function");
    enter(a);
    enter(a);
    need_two_entries(a);
    note(race, "another thread of A releases");
    leave(second_thread_of(a));
    note(race, "B tries");
    must_not_enter(b, "though A has got in twice and has left at most once");
}
