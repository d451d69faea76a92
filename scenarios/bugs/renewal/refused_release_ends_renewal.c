// Race: a refused inner release ends the renewal.
//
// A is inside twice, and its lease is renewed. The inner function releases, and
// the server refuses that with an error: nothing has happened. The inner
// function releases again. The outer one works on for more than a lease. B
// tries.
//
// Usually lost by: a count that is lowered before the answer is there. The
// second release then looks like the last one, and ends the renewals.
// Source: deduced.
#include "race_more.h"

void refused_release_ends_renewal(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A is inside twice, and its lease is renewed");
    enter(a);
    enter(a);
    renew(a);
    note(race, "its inner release is refused; it releases again");
    need_two_entries(a);
    begin_leave(a);
    hold_change(a);
    refuse_command(a);
    finish(a);
    leave_again(a);
    note(race, "more than a lease later B tries");
    advance(race, LEASE + SECOND);
    must_not_enter(b, "though A is at work and can renew its lease");
}
