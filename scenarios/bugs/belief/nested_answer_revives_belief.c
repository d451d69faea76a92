// Race: the answer to a nested attempt revives belief.
//
// A is inside, and its lock renews itself. A function that A calls takes the
// lock, too. So does one that this calls: the attempt runs, and its answer is
// slow. Meanwhile an operator removes the lock, and A's next renewal finds that
// out. B takes the lock. Now the old answer arrives: it was true when it was
// given, and says nothing about now. A must still know that its lock is lost.
//
// Usually lost by: a nested acquire that moves the holder's deadline, whatever
// the holder has heard since it asked.
// Source: deduced.
#include "race_more.h"

void nested_answer_revives_belief(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A is inside, and its inner function takes the lock, too");
    enter(a);
    renew(a);
    enter_inner_calls(a, 1);
    note(race, "so does another one: this runs, and the answer is slow");
    begin_enter(a);
    hold_change(a);
    run_command(a);
    note(race, "an operator removes the lock, and a renewal finds that out");
    operate(race, "DEL KEY");
    advance(race, LEASE / 2);
    note(race, "B takes the lock, and A's answer arrives");
    enter(b);
    finish(a);
}
