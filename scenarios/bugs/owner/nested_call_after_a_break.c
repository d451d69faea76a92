// Race: a nested call fails after a broken connection.
//
// A is inside twice. Its connection breaks. The lock does not end with it, and
// a new connection can be made at once. Then A takes the lock a third time. It
// must get in.
//
// Usually lost by: a nested call that takes a broken connection for the end of
// the hold, and does not ask the server.
// Source: deduced.
#include "race_more.h"

void nested_call_after_a_break(struct race *race) {
    struct client *a = race_client(race, "A");

    note(race, "A is inside twice; its connection breaks");
    enter(a);
    enter(a);
    need_two_entries(a);
    cut_off(a);
    reconnect(a);
    need_lock(a);
    note(race, "A takes the lock a third time");
    must_enter(a, "once more, though the lock is its own");
    must_still_hold(a);
}
