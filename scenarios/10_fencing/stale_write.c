// Race 10.1: a holder that was stopped writes over what the next one has done.
//
// A is stopped for longer than its lease. B gets in, writes and leaves. Then A
// goes on and writes. Nobody else is inside any more: the lock is free, and the
// write is wrong all the same. Only the resource can refuse it, and only if it
// can see that the write belongs to an earlier hold. In this race only writes
// count.
//
// Usually lost by: every lock with a lease whose holds have no number.
// Source: Kleppmann, How to do distributed locking.
#include "race.h"

void stale_write(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    judge_by_writes(race);
    note(race, "A takes the lock and is stopped before it writes");
    enter(a);
    stop(a);
    advance(race, LEASE + SECOND);
    note(race, "a second after the lease B gets in, writes and leaves");
    enter(b);
    write_if_inside(b);
    leave_if_inside(b);
    note(race, "A goes on and writes");
    resume(a);
    write_resource(a);
}
