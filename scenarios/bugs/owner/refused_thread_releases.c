// Race: a thread that was refused releases.
//
// A thread of A gets in twice and leaves once, which shows that this lock
// counts. So it is still inside. Another thread of A tries with the same
// handle, and then releases, whether it got in or not. If it was refused, its
// release must change nothing. B tries.
//
// Usually lost by: a release that does not look whose hold it ends.
// Source: deduced.
#include "race_more.h"

void refused_thread_releases(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "a thread of A is inside");
    enter(a);
    enter(a);
    need_two_entries(a);
    leave(a);
    note(race, "another one tries, and releases, whether it got in or not");
    enter(second_thread_of(a));
    leave(second_thread_of(a));
    note(race, "B tries");
    must_not_enter(b, "though the first thread of A is inside");
}
