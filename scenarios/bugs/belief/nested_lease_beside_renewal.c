// Race: the lease of a nested call runs beside a renewal.
//
// A's renewal has run on the server, and its answer is slow. Meanwhile a
// function that A calls takes the lock for five seconds. That may cut what is
// left of A's lease. Then the answer to the renewal arrives, which is older.
// Six seconds later B tries. If it gets in, A must know that it is outside.
//
// Usually lost by: an old answer that overwrites a newer deadline.
// Source: deduced.
#include "race_more.h"

void nested_lease_beside_renewal(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A's renewal runs, and its answer is slow");
    enter(a);
    begin_renewal(a);
    run_command(a);
    note(race, "an inner function takes the lock for 5 seconds");
    enter_for(a, 5 * SECOND);
    note(race, "the answer to the renewal arrives");
    finish(a);
    note(race, "six seconds later B tries");
    advance(race, 6 * SECOND);
    ask(a);
    enter(b);
}
