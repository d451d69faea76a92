// Race 13.2: a lock is busy because another one is held.
//
// A holds the first of two locks. B needs the second, which nobody holds. The
// two have nothing to do with each other, so B must get in.
//
// Usually lost by: FOR UPDATE of a row for which no index fits: it locks every
// row that it reads.
// Source: the MySQL manual on locks set by statements.
#include "race_more.h"

void missing_index(struct race *race) {
    struct client *a = race_client_of_two(race, "A");
    struct client *b = race_client_of_two(race, "B");
    struct client *b2 = second_lock_of(b);

    note(race, "A takes the first lock");
    enter(a);
    note(race, "B needs the second, which nobody holds");
    must_enter(b2, "to the second lock, which nobody holds");
}
