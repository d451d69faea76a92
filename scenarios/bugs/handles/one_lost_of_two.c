// Race: one lock of two is lost, and the other hides it.
//
// A holds two locks, and both are renewed. An operator removes the first.
// A's next renewal of it finds that out, and its renewal of the second goes
// well. A must know that the first is lost. B takes it.
//
// Usually lost by: one deadline for all locks of a process.
// Source: deduced.
#include "race_more.h"

void one_lost_of_two(struct race *race) {
    struct client *a = race_client_of_two(race, "A");
    struct client *b = race_client(race, "B");
    struct client *a2 = second_lock_of(a);

    need_exact_instants(race);
    note(race, "A holds two locks, and the first is renewed");
    enter(a);
    renew(a);
    enter(a2);
    note(race, "an operator removes the first");
    operate(race, "DEL KEY");
    advance(race, LEASE / 2);
    note(race, "both locks have had their next renewal, and B tries");
    enter(b);
    note(race, "does A know?");
    must_know_of_loss(a);
}
