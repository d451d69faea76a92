// Race: the holder dies after an inner release.
//
// A is inside twice, and the inner function releases. Then A dies. Its lock
// ends with its lease. A second after the lease B tries.
//
// Usually lost by: an inner release that sets another lease, or none.
// Source: deduced.
#include "race_more.h"

void crash_after_inner_release(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A is inside twice, leaves once, and dies");
    enter(a);
    enter(a);
    need_two_entries(a);
    leave(a);
    crash(a);
    note(race, "a second after the lease B tries");
    advance(race, LEASE + SECOND);
    must_enter(b, "a second after the lease of A, who is dead");
}
