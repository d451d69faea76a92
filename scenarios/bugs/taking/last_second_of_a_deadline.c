// Race: somebody tries in the last second of a deadline.
//
// All clocks stand a little before the second 1,000,000,000 of Unix time, so
// that deadlines have a digit more than the time now. A takes the lock, 0.9
// seconds after the beginning of a second. B tries at once, and must not get
// in. It tries again 29.2 seconds later, within the second that A's deadline
// names if it is a whole one. A's lease is not over yet.
//
// Usually lost by: deadlines that are compared as strings, and a deadline that
// counts as past one second too early.
// Source: deduced.
#include "race.h"

void last_second_of_a_deadline(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    set_clock_ahead(a, -25 * SECOND);
    set_clock_ahead(b, -25 * SECOND);
    advance(race, 900 * MILLISECOND);
    note(race, "A takes the lock, and B tries at once");
    enter(a);
    must_not_enter(b, "at once, though A has just got in");
    note(race, "29.2 seconds later B tries again");
    advance(race, 29200 * MILLISECOND);
    must_not_enter(b, "before A's lease is over");
}
