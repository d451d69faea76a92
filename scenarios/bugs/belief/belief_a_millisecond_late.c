// Race: a holder's belief ends a millisecond late.
//
// A's lease is renewed once; then A loses its network. In the last millisecond
// of the lease A may believe that it has the lock. In the next one the server
// gives the lock to whoever asks: A must know that it is over. B tries.
//
// Usually lost by: a deadline that is a little later than the server's, because
// a margin was added that had to be subtracted.
// Source: deduced.
#include "race_more.h"

void belief_a_millisecond_late(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A's lease is renewed, and A loses its network");
    enter(a);
    renew(a);
    cut_off(a);
    note(race, "the last millisecond of the lease");
    advance_to_lease_end(race, -1 * MILLISECOND);
    ask(a);
    note(race, "the next one: does A know?");
    advance_to_lease_end(race, 0);
    ask(a);
    note(race, "B tries");
    enter(b);
}
