// Race 9.6: newcomers are faster than the one who waits.
//
// B waits. At each release C asks at once, and has the lock before B has heard
// that it is free. B makes no mistake, and still may wait for ever. This race
// asks only for the order in which they get in.
//
// Usually lost by: every lock without a queue. A queue must be kept in order on
// the server, and must survive the death of those who stand in it.
// Source: python-redis-lock issue 58.
#include "race_more.h"

void barging(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    keep_order(race);
    enter(a);
    wait_for_lock(b, MINUTE);
    advance(race, 5 * SECOND);
    note(race, "A releases, and C asks before B has heard of it");
    leave(a);
    enter(c);
    advance(race, 5 * SECOND);
    note(race, "C releases, and asks again");
    leave_if_inside(c);
    enter(c);
    advance(race, 5 * SECOND);
    note(race, "and once more");
    leave_if_inside(c);
    enter(c);
}
