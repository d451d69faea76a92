// Race: an inner release is repeated.
//
// A is inside twice. The inner function releases. That runs on the server, and
// its answer is lost. So the function releases again: both together are one
// release. The outer function works on and must still have the lock. B tries,
// and tries again when A has left for good.
//
// Usually lost by: a release that says "one less" to the server, and may be
// sent twice; a client that lowers its own count without an answer.
// Source: deduced.
#include "race_more.h"

void inner_release_repeated(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A is inside twice");
    enter(a);
    enter(a);
    note(race, "the inner function releases, and the answer is lost");
    need_two_entries(a);
    begin_leave(a);
    hold_change(a);
    run_command(a);
    lose_answer(a);
    note(race, "it releases again, and B tries");
    leave(a);
    must_not_enter(b, "though A has left only once of twice");
    note(race, "the outer function releases, and B tries again");
    leave_if_inside(a);
    must_enter(b, "though A has left as often as it got in");
}
