// Race: the counter of holds is removed with the lock.
//
// A takes the lock and is stopped for longer than its lease. B takes it, writes
// and releases it. Then C takes it and writes. C's hold is the last one, so its
// write must be accepted. In this race only writes count.
//
// Usually lost by: a counter that is removed with the lock.
// Source: deduced.
#include "race.h"

void counter_removed_with_lock(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    judge_by_writes(race);
    note(race, "A takes the lock and is stopped");
    enter(a);
    stop(a);
    advance(race, LEASE + SECOND);
    note(race, "a second after the lease B takes it, writes and leaves");
    enter(b);
    write_if_inside(b);
    leave_if_inside(b);
    note(race, "C takes it and writes");
    enter(c);
    write_if_inside(c);
}
