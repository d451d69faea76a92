// Race: the patience is over, and no answer has come.
//
// B has taken the lock and released it. A is ready to wait a second for it. Its
// command runs, which takes the lock, and A hears nothing: when it gives up,
// its patience is over as well. "Busy" would be wrong now: nobody else has the
// lock. A must be told that it may have it.
//
// Usually lost by: a loop that says "busy" whenever its time is over.
// Source: deduced.
#include "race_more.h"

void patience_over_without_answer(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    enter(b);
    leave(b);
    note(race, "A waits a second for a free lock, and its command runs");
    begin_wait(a, SECOND);
    run_command(a);
    note(race, "for two seconds A hears nothing, and it gives up");
    advance(race, 2 * SECOND);
    give_up(a);
}
