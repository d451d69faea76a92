// Race: the counter of holds expires in a pause.
//
// A takes the lock and releases it, takes it again, writes, releases and is
// killed. An hour later B takes the lock and writes. The resource remembers A's
// number. So B's must be higher, or its write is refused. In this race only
// writes count.
//
// Usually lost by: a counter with a lease.
// Source: deduced.
#include "race.h"

void counter_expires(struct race *race) {
    struct client *a = race_client(race, "A");

    judge_by_writes(race);
    note(race, "A takes the lock twice, writes, releases and is killed");
    enter(a);
    leave(a);
    enter(a);
    write_resource(a);
    leave(a);
    crash(a);
    note(race, "an hour later B takes the lock and writes");
    advance(race, HOUR);
    struct client *b = race_client(race, "B");
    enter(b);
    write_if_inside(b);
}
