// Race: a holder believes too long after a second try.
//
// A's attempt runs, and its answer is lost. The code of A's lock tries again by
// itself, fifteen seconds later, and finds its own lock from the first try. The
// lease has been running since then. A's first renewal is lost, because its
// network fails. In the first millisecond after the lease A asks itself whether
// it still holds the lock, and B tries.
//
// Usually lost by: a deadline that is counted from the second try, when this
// has not set the lease anew.
// Source: deduced.
#include "race_more.h"

void second_try_believes_too_long(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A's attempt runs, and the answer is lost");
    begin_enter(a);
    hold_change(a);
    run_command(a);
    note(race, "fifteen seconds later A's lock tries again");
    lose_answer_before_retry(a);
    advance(race, 15 * SECOND);
    finish(a);
    note(race, "A loses its network before its first renewal has run");
    begin_renewal(a);
    cut_off(a);
    note(race, "the lease has just ended: does A know?");
    advance_to_lease_end(race, 0);
    ask(a);
    note(race, "B tries");
    enter(b);
}
