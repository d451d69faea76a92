// Race: a long name is cut, and two locks become one.
//
// The second lock has the name of the first with one more character at the end,
// and both are nearly sixty characters long. A takes the first lock. B takes
// the second one, which is free, and releases it. The first one is still A's: C
// is refused.
//
// Usually lost by: a name that is copied into a short buffer.
// Source: deduced.
#include "race_more.h"

void long_name_cut(struct race *race) {
    set_key(race, "orders-of-the-customer-with-the-longest-name-of-them-all:1");
    struct client *a = race_client_of_two(race, "A");
    struct client *b = race_client_of_two(race, "B");
    struct client *c = race_client_of_two(race, "C");
    struct client *b2 = second_lock_of(b);

    note(race, "A takes the first lock, and B the second one");
    enter(a);
    must_enter(b2, "though nobody has the second lock");
    leave(b2);
    note(race, "C tries to get the first one");
    must_not_enter(c, "while A is inside");
}
