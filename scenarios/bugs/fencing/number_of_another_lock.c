// Race: a write has the number of another lock.
//
// A uses two locks. The second was taken so often that its numbers are ahead.
// A takes the first lock, then the second, and is stopped for longer than a
// lease. B takes the first lock and writes. A goes on and writes what the first
// lock protects: with the number of the first, which is old by now. In this
// race only writes count.
//
// Usually lost by: one number for all locks of a process, or of a thread.
// Source: deduced.
#include "race_more.h"

void number_of_another_lock(struct race *race) {
    struct client *a = race_client_of_two(race, "A");
    struct client *b = race_client_of_two(race, "B");
    struct client *a2 = second_lock_of(a);
    struct client *b2 = second_lock_of(b);

    judge_by_writes(race);
    note(race, "B takes the second lock twice: its next number is higher");
    enter(b2);
    leave(b2);
    enter(b2);
    leave(b2);
    note(race, "A takes the first lock, then the second, and is stopped");
    enter(a);
    enter(a2);
    stop(a);
    advance(race, LEASE + SECOND);
    note(race, "a second after the lease B takes the first lock and writes");
    enter(b);
    write_if_inside(b);
    note(race, "A goes on and writes");
    resume(a);
    write_resource(a);
}
