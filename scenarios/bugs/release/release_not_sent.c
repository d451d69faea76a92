// Race: a release is not sent, as its holder believes no more.
//
// A's renewal runs, and its answer is lost with A's network. So A counts its
// lease from before, and stops its work when that is over. The lock stands on
// the server a little longer. A's network is back, and A releases: this must
// still reach the server, and free the lock. B tries.
//
// Usually lost by: a release that sends nothing when the holder believes no
// more.
// Source: deduced.
#include "race_more.h"

void release_not_sent(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A's renewal runs, and the answer is lost with A's network");
    enter(a);
    begin_renewal(a);
    hold_change(a);
    run_command(a);
    lose_answer(a);
    cut_off(a);
    note(race, "A's lease is over by its own clock, and A stops its work");
    advance_to_lease_end(race, -5 * SECOND);
    ask(a);
    note(race, "A's network is back: A releases, and B tries");
    reconnect(a);
    leave(a);
    must_enter(b, "though A has released its lock");
}
