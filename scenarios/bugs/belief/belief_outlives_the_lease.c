// Race: a holder's belief outlives the lease.
//
// A takes the lock and loses its network, so that nothing is renewed. A
// millisecond after the end of the lease A is asked, and B tries. If B gets in,
// A must know that it is outside.
//
// Usually lost by: a holder that takes its lease for longer than it is. It adds
// the margin for different clocks that it should take off, or counts from the
// answer.
// Source: deduced.
#include "race_more.h"

void belief_outlives_the_lease(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A takes the lock, and loses its network");
    enter(a);
    need_exact_lease(a);
    cut_off(a);
    note(race, "a millisecond after the end of the lease B tries");
    advance_to_lease_end(race, MILLISECOND);
    ask(a);
    enter(b);
}
