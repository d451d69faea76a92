// Race 2.2: the holder's whole process stops for longer than the lease.
//
// All threads of A stand still for 40 seconds in the middle of its work. The
// cause is a garbage collection, a page that was swapped out, or a virtual
// machine that is moved. The lease runs out, B gets in and writes. Then A goes
// on with its work: its next instruction is a write. In this race only writes
// count.
//
// Usually lost by: every lock with a lease: a stopped process cannot renew it,
// and cannot notice that it ends.
// Source: Kleppmann, How to do distributed locking; Curator Tech Note 10.
#include "race.h"

void stop_the_world(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    judge_by_writes(race);
    note(race, "A stops in the middle of its work");
    enter(a);
    stop(a);
    advance(race, LEASE + SECOND);
    note(race, "a second after the lease B tries");
    enter(b);
    write_if_inside(b);
    advance(race, 9 * SECOND);
    note(race, "A goes on with its work");
    resume(a);
    write_resource(a);
}
