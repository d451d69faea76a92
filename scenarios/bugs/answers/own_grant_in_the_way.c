// Race: a client's own grant is in its way.
//
// A's command to take the lock runs, and its answer is lost. A tries again at
// once. Nobody but A has the lock. So A must get in now, and must not have to
// wait for the end of its own lease. (A lock that loses this race is safe. It
// only loses time.)
//
// Usually lost by: a lock whose attempts have nothing in common, so that the
// server cannot know them again.
// Source: deduced.
#include "race_more.h"

void own_grant_in_the_way(struct race *race) {
    struct client *a = race_client(race, "A");

    note(race, "A's attempt runs, and its answer is lost");
    begin_enter(a);
    hold_change(a);
    run_command(a);
    lose_answer(a);
    note(race, "A tries again at once");
    enter_if_outside(a);
    must_have_got_in(a, "though the lock is its own");
}
