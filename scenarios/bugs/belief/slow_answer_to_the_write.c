// Race: the answer to the write of a renewal is slow.
//
// A's renewal may read first: that passes. Its write runs on the server, and
// the answer comes four seconds later. Then A loses its network. When the lease
// is over, A must know: it began when the server wrote it, and not when A heard
// of that.
//
// Usually lost by: a deadline that is counted from the answer.
// Source: deduced.
#include "race_more.h"

void slow_answer_to_the_write(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "the write of A's renewal runs; its answer is four seconds late");
    enter(a);
    begin_renewal(a);
    hold_change(a);
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
