// Race 14.12: a second lock takes the token of the first.
//
// A uses two locks. It takes the first, a second later the other one, and then
// it releases the first. Each release must reach its own lock. B tries to get
// both, one after the other.
//
// Usually lost by: one token, one deadline or one count for all locks of a
// process.
// Source: deduced.
#include "race.h"

void second_lock_takes_token(struct race *race) {
    struct client *a = race_client_of_two(race, "A");
    struct client *b = race_client_of_two(race, "B");

    note(race, "A takes both locks");
    enter(a);
    advance(race, SECOND);
    enter_second(a);
    note(race, "A releases the first, and B tries to get it");
    leave(a);
    must_enter(b, "though A has released the first lock");
    note(race, "A releases the second, and B tries to get that, too");
    leave_second(a);
    must_enter_second(b, "though A has released the second lock");
}
