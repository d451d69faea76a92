// Race: the server refuses an inner release.
//
// A is inside twice. The inner function releases, and the server refuses that
// with an error: nothing has happened, so A is still inside twice. The inner
// function releases again. B must not get in before the outer one has released
// as well, and then it must.
//
// Usually lost by: a count that is lowered before the answer is there.
// Source: deduced.
#include "race_more.h"

void refused_inner_release(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A is inside twice; its inner release is refused");
    enter(a);
    enter(a);
    need_two_entries(a);
    begin_leave(a);
    hold_change(a);
    refuse_command(a);
    finish(a);
    note(race, "it releases again, and B tries");
    leave_again(a);
    must_not_enter(b, "though A has left only once of twice");
    note(race, "the outer function releases, and B tries again");
    leave_if_inside(a);
    must_enter(b, "though A has left as often as it got in");
}
