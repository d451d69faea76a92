// Race: a hold has the number of an earlier hold.
//
// A takes the lock, writes and releases it. B does the same. Then A takes the
// lock again: its new hold is the last one, and what it writes must be
// accepted. In this race only writes count.
//
// Usually lost by: a number that is kept from an earlier hold.
// Source: deduced.
#include "race.h"

void number_of_an_earlier_hold(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    judge_by_writes(race);
    note(race, "A takes the lock, writes and leaves");
    enter(a);
    write_resource(a);
    leave(a);
    note(race, "B takes it, writes and leaves");
    enter(b);
    write_resource(b);
    leave(b);
    note(race, "A takes it again and writes");
    enter(a);
    write_resource(a);
}
