// Race 14.93: half a second of patience.
//
// A is inside. B is ready to wait for half a second. A second later it must
// have given up: its caller has something else to do.
//
// Usually lost by: a patience in whole seconds. Half a second becomes 0, and 0
// often means for ever.
// Source: deduced; to BLPOP a time-out of nothing means for ever.
#include "race_more.h"

void half_a_second_of_patience(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A is inside, and B waits for half a second");
    enter(a);
    wait_for_lock(b, 500 * MILLISECOND);
    advance(race, SECOND);
    must_have_given_up(b, "though its patience is over");
}
