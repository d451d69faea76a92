// Race: the answer to a renewal is slow.
//
// A's renewal runs, and its answer needs four seconds. Then A loses its
// network. The lease counts from the moment at which the renewal ran, and not
// from the answer. In the first millisecond after the lease A asks itself
// whether it still holds the lock, and B tries.
//
// Usually lost by: a deadline that is counted from the answer.
// Source: deduced.
#include "race_more.h"

void slow_renewal_answer(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A's renewal runs, and its answer comes four seconds later");
    enter(a);
    begin_renewal(a);
    run_command(a);
    advance(race, 4 * SECOND);
    finish(a);
    note(race, "A loses its network");
    cut_off(a);
    note(race, "the lease has just ended: does A know?");
    advance_to_lease_end(race, 0);
    ask(a);
    note(race, "B tries");
    enter(b);
}
