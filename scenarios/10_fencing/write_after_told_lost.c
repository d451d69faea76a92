// Race 10.6: a client writes when it has heard that its lock is lost.
//
// A is stopped for longer than its lease. B gets in, writes and leaves. Then A
// goes on. A releases, and hears that the lock is lost. Another part of A has
// not heard that yet, and sends a write. The resource must see that this write
// belongs to a hold that is over. In this race only writes count.
//
// Usually lost by: every lock whose holds have no number; a hold that forgets
// its number when it ends.
// Source: deduced from Kleppmann, How to do distributed locking.
#include "race.h"

void write_after_told_lost(struct race *race) {
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
    note(race, "A goes on, releases, and writes");
    resume(a);
    leave(a);
    write_resource(a);
}
