// Race: the answer to an inner release revives belief.
//
// A is inside twice, and an inner release runs. Its answer is slow.
// Meanwhile an operator removes the lock, and A's next renewal finds that
// out. B takes the lock. Now the old answer arrives: it was true when it was
// given, and says nothing about now. A must still know.
//
// Usually lost by: a holder whose deadline is moved by any good answer,
// whatever it has heard since it asked.
// Source: deduced.
#include "race.h"

void inner_release_revives_belief(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A is inside twice; the answer to its inner release is slow");
    enter(a);
    enter(a);
    begin_leave(a);
    run_command(a);
    note(race, "an operator removes the lock, and a renewal finds that out");
    operate(race, "DEL KEY");
    advance(race, LEASE / 2);
    note(race, "B tries, and A's answer arrives");
    enter(b);
    finish(a);
}
