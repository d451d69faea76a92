// Race 10.2: a late write arrives before the new holder has written.
//
// A is stopped for longer than its lease, and B gets in. B only reads what the
// lock protects, and works on what it has read. Then A goes on and writes, with
// its old number. The resource learns of a newer hold only from its writes, and
// B has written nothing. The value that B has read is out of date. In this race
// only writes count.
//
// Usually lost by: every lock with a lease, with numbers too, unless a new
// holder first writes something under its number.
// Source: deduced from Kleppmann, How to do distributed locking: the resource
// rejects a number when it has seen a higher one.
#include "race.h"

void new_holder_silent(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    judge_by_writes(race);
    note(race, "A takes the lock and is stopped before it writes");
    enter(a);
    stop(a);
    advance(race, LEASE + SECOND);
    note(race, "a second after the lease B gets in, and does not write yet");
    enter(b);
    note(race, "A goes on and writes");
    resume(a);
    write_resource(a);
}
