// Race: the numbers of holds are compared as text.
//
// A takes the lock and releases it nine times. B takes it three times, and
// writes in the last. Then A takes it once more and writes. If the numbers of
// the holds began with 1, B's are 10, 11 and 12, and A's last one must be
// higher: its write must count. In this race only writes count.
//
// Usually lost by: numbers that are compared as texts: there "10" comes before
// "9".
// Source: deduced.
#include "race_more.h"

void numbers_compared_as_text(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    judge_by_writes(race);
    note(race, "A takes the lock and releases it nine times");
    enter_and_leave(a, 9);
    note(race, "B takes it three times, and writes in its third hold");
    enter_and_leave(b, 2);
    enter(b);
    write_if_inside(b);
    leave_if_inside(b);
    note(race, "A takes it once more and writes");
    enter(a);
    write_if_inside(a);
}
