// Race 13.2: a lock is busy because another one is held.
//
// A holds the first of two locks. B needs the second, which nobody holds. The
// two have nothing to do with each other, so B must get in.
//
// Usually lost by: FOR UPDATE of a row for which no index fits: it locks every
// row that it reads.
// Source: the MySQL manual on locks set by statements.
#include "race.h"

void missing_index(struct race *race) {
    struct client *a = race_client_of_two(race, "A");
    struct client *b = race_client_of_two(race, "B");

    note(race, "A takes the first lock");
    enter(a);
    note(race, "B needs the second, which nobody holds");
    must_enter_second(b, "to the second lock, which nobody holds");
}
