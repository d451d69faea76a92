// Race: the server refuses an attempt.
//
// A tries to take the lock, and the server answers with an error: it takes no
// writes for a moment. Nobody has the lock now. B tries and gets in, and A must
// not be inside beside it.
//
// Usually lost by: an acquire that takes any answer for a grant.
// Source: deduced.
#include "race_more.h"

void refused_attempt(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A tries, and the server refuses it");
    begin_enter(a);
    hold_change(a);
    refuse_command(a);
    finish(a);
    need_outside(a);
    note(race, "B tries");
    must_enter(b, "though nobody has the lock");
}
