// Race: a release goes on after an unanswered command.
//
// A's release needs several commands. The third has run, and its answer is on
// the way for so long that the lease ends. B gets in. Then A's connection
// breaks. A's next commands go through a new one, which knows nothing of the
// commands before. C tries.
//
// Usually lost by: a transaction whose first command was not answered, and
// which goes on all the same.
// Source: deduced.
#include "race_more.h"

void release_goes_on_unanswered(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    note(race, "A's work is done; its release waits for its third answer");
    enter(a);
    end_work(a);
    begin_leave(a);
    hold_later_command(a, 3);
    run_command(a);
    note(race, "the lease ends, and B gets in; A's connection breaks");
    outlast_lease(race);
    enter(b);
    lose_answer(a);
    note(race, "C tries");
    enter(c);
}
