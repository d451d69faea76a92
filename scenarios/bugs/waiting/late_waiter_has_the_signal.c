// Race: a waiter that is too late has the only signal.
//
// A is inside. B waits for a second, and C for a minute. Just before B's
// patience ends its process is stopped. A releases. A lock that wakes only one
// waiter wakes B, which came first. B goes on a moment later, when its patience
// is over. It may say that it got in, and then it has to release, or that the
// lock was busy. In both cases C must get in now: nobody is inside.
//
// Usually lost by: a waiter that takes the signal, looks at the clock, and
// gives up without another attempt.
// Source: deduced.
#include "race.h"

void late_waiter_has_the_signal(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    enter(a);
    wait_for_lock(b, SECOND);
    wait_for_lock(c, MINUTE);
    advance(race, 950 * MILLISECOND);
    note(race, "B is stopped, and A releases");
    stop(b);
    leave(a);
    advance(race, 100 * MILLISECOND);
    note(race, "B goes on when its patience is over");
    resume(b);
    advance(race, 100 * MILLISECOND);
    leave_if_inside(b);
    advance(race, SECOND);
    must_have_got_in(c, "a second after B was done");
}
