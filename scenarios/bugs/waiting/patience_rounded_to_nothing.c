// Race: half a second of patience is rounded to nothing.
//
// A is inside. B is ready to wait for half a second. A second later it must
// have given up: its caller has something else to do.
//
// Usually lost by: a patience in whole seconds. Half a second becomes 0, and 0
// often means for ever.
// Source: deduced from rediscala issue 24, where BLPOP with less than a second
// waits for ever.
#include "race_more.h"

void patience_rounded_to_nothing(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A is inside, and B waits for half a second");
    enter(a);
    wait_for_lock(b, 500 * MILLISECOND);
    advance(race, SECOND);
    must_have_given_up(b, "though its patience is over");
}
