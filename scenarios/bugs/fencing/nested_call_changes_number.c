// Race: a nested call changes the number of the hold.
//
// B takes the lock, writes and releases it. Then A takes the lock, calls a
// function that takes it too, and writes there; and it writes once more when
// the function has ended. Both belong to the last hold, and must be accepted.
// In this race only writes count.
//
// Usually lost by: a number that is set anew, or forgotten, by a nested call.
// Source: deduced.
#include "race_more.h"

void nested_call_changes_number(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    judge_by_writes(race);
    note(race, "B takes the lock, writes and leaves");
    enter(b);
    write_resource(b);
    leave(b);
    note(race, "A takes it, and calls a function that takes it too and writes");
    enter(a);
    enter(a);
    need_two_entries(a);
    write_resource(a);
    note(race, "the function ends, and A writes");
    need_two_entries(a);
    leave(a);
    write_resource(a);
}
