// Race: the answer that grants the lock is slow.
//
// A's attempt runs, and its answer needs fifteen seconds. A is inside, and its
// lease is half over. Its first renewal is lost, because its network fails. In
// the first millisecond after the lease A asks itself whether it still holds
// the lock, and B tries.
//
// Usually lost by: a deadline that is counted from the answer.
// Source: deduced.
#include "race_more.h"

void slow_grant_answer(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A's attempt runs, and the answer comes fifteen seconds later");
    begin_enter(a);
    hold_change(a);
    run_command(a);
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
