// Race: the answer to a nested attempt is slow.
//
// A is inside, and its inner function takes the lock, too. This runs at once,
// and its answer needs five seconds. Then A loses its network. The lease counts
// from the moment at which a command ran, and not from its answer. In the first
// millisecond after the lease A asks itself whether it still holds the lock,
// and B tries.
//
// Usually lost by: a nested acquire that moves the holder's deadline and counts
// from the answer.
// Source: deduced.
#include "race_more.h"

void slow_nested_answer(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    enter(a);
    renew(a);
    note(race, "A's nested attempt runs; the answer comes five seconds later");
    begin_enter(a);
    hold_change(a);
    run_command(a);
    advance(race, 5 * SECOND);
    finish(a);
    need_two_entries(a);
    note(race, "A loses its network");
    cut_off(a);
    note(race, "the lease has just ended: does A know?");
    advance_to_lease_end(race, 0);
    ask(a);
    note(race, "B tries");
    enter(b);
}
