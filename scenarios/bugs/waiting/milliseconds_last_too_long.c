// Race: twenty milliseconds of patience last too long.
//
// A is inside. B is ready to wait for twenty milliseconds. A tenth of a second
// later it must have given up: its caller has something else to do.
//
// Usually lost by: a fraction of a second without its zeros (20 ms become 0.20
// s); a pause longer than the patience; patience in whole seconds.
// Source: deduced.
#include "race_more.h"

void milliseconds_last_too_long(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    enter(a);
    leave(a);
    note(race, "A is inside, and B waits for twenty milliseconds");
    enter(a);
    wait_for_lock(b, 20 * MILLISECOND);
    advance(race, 100 * MILLISECOND);
    must_have_given_up(b, "though its patience is over");
}
