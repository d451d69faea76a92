// Race: the number of a hold comes from a fast clock.
//
// A's wall clock is 40 seconds ahead. A takes the lock, writes and releases it.
// Then B takes it and writes. B's hold is the last one, so its write must be
// accepted. If the numbers of holds are times of day, A's is the higher one. In
// this race only writes count.
//
// Usually lost by: numbers that come from the clients' clocks.
// Source: deduced.
#include "race.h"

void number_from_a_fast_clock(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    judge_by_writes(race);
    set_clock_ahead(a, 40 * SECOND);
    note(race, "A, whose clock is 40 seconds ahead, takes the lock and writes");
    enter(a);
    write_resource(a);
    leave(a);
    note(race, "B takes it and writes");
    enter(b);
    write_resource(b);
}
