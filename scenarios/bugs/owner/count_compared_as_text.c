// Race: the count of nested calls is compared as text.
//
// A takes the lock in a function, and in nine more that are called one inside
// the other. Each of them must get in. Then the nine inner ones release. B
// tries while A is inside. When A has released as often as it got in, B must
// get in.
//
// Usually lost by: counts that are compared as texts: there "10" is less than
// "9".
// Source: deduced.
#include "race_more.h"

void count_compared_as_text(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A takes the lock, and nine times more in inner functions");
    enter(a);
    enter_inner_calls(a, 9);
    note(race, "the inner functions release");
    leave_inner_calls(a, 9);
    note(race, "B tries while A is inside");
    must_not_enter(b, "though A is inside");
    note(race, "the outer function releases, and B tries again");
    leave(a);
    must_enter(b, "though A has left as often as it got in");
}
