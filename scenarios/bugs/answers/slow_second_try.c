// Race: the lock's own second try is slow.
//
// A's attempt runs, and its answer is lost. The code of the lock tries again by
// itself, within the same acquire; five seconds later this command reaches the
// server. It finds A's own lock from the first try. A must not be told "busy"
// because of it, and must not be inside twice. A leaves if it is inside. A
// lease and a second later B tries.
//
// Usually lost by: a second try that does not know its own first one, or counts
// it as another entry.
// Source: deduced.
#include "race_more.h"

void slow_second_try(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    judge_strictly(race);
    note(race, "A's attempt runs, and the answer is lost");
    begin_enter(a);
    hold_change(a);
    run_command(a);
    note(race, "A's lock tries again; that is slow on the wire");
    lose_answer_before_retry(a);
    advance(race, 5 * SECOND);
    finish(a);
    note(race, "A leaves; a lease and a second later B tries");
    leave_if_inside(a);
    advance(race, LEASE + SECOND);
    must_enter(b, "though A has left as often as it got in");
}
