// Race: the lease of a nested call is unanswered.
//
// A takes the lock, and a function that A calls takes it, too, for five
// seconds. That may cut what is left of A's lease. The answer is lost. Six
// seconds later B tries. If it gets in, A must know that it is outside.
//
// Usually lost by: a holder that believes in its old lease, though a command of
// its own may have made it shorter.
// Source: deduced.
#include "race_more.h"

void nested_lease_unanswered(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A is inside; an inner function takes the lock for 5 seconds");
    enter(a);
    begin_enter_for(a, 5 * SECOND);
    run_command(a);
    note(race, "the answer is lost");
    lose_answer(a);
    note(race, "six seconds later B tries");
    advance(race, 6 * SECOND);
    ask(a);
    enter(b);
}
