// Race: attempts postpone the renewal.
//
// A is inside, and its lease is renewed every third of it. A asks for the lock
// again and again, a little more often than that. Whether these attempts let A
// in again or not, A has the lock all the time, and knows it. B is refused.
//
// Usually lost by: an acquire that begins the watchdog's period anew.
// Source: deduced.
#include "race_more.h"

void attempts_postpone_renewal(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A is inside, and asks for the lock every eight seconds");
    enter(a);
    renew(a);
    advance(race, 8 * SECOND);
    enter(a);
    advance(race, 8 * SECOND);
    enter(a);
    advance(race, 8 * SECOND);
    enter(a);
    advance(race, 8 * SECOND);
    enter(a);
    must_believe(a);
    note(race, "B tries while A is at work");
    must_not_enter(b, "though A is at work and can renew its lease");
}
