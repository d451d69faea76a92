// Race: a second lock takes the token of the first.
//
// A uses two locks. It takes the first, a second later the other one, and then
// it releases the first. Each release must reach its own lock. B tries to get
// both, one after the other.
//
// Usually lost by: one token, one deadline or one count for all locks of a
// process.
// Source: deduced.
#include "race_more.h"

void second_lock_takes_token(struct race *race) {
    struct client *a = race_client_of_two(race, "A");
    struct client *b = race_client_of_two(race, "B");
    struct client *a2 = second_lock_of(a);
    struct client *b2 = second_lock_of(b);

    note(race, "A takes both locks");
    enter(a);
    advance(race, SECOND);
    enter(a2);
    note(race, "A releases the first, and B tries to get it");
    leave(a);
    must_enter(b, "though A has released the first lock");
    note(race, "A releases the second, and B tries to get that, too");
    leave(a2);
    must_enter(b2, "though A has released the second lock");
}
