// Race 3.1: a late release deletes the next owner's lock.
//
// A finishes its work in time, but is stopped before it can release: by a
// garbage collection, by a full disk queue, because a laptop is closed. A lease
// and a second later B tries. Then A goes on and releases. If B has got the
// lock, and the release does not ask whose lock it is, it deletes B's, and C
// gets in while B is inside.
//
// Usually lost by: a release that does not ask whose lock it is.
// Source: the Redis documentation on SET and on distributed locks.
#include "race.h"

void expired_delete(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    enter(a);
    advance(race, 29 * SECOND);
    note(race, "A's work is done in time, but A is stopped before it can release");
    end_work(a);
    stop(a);
    advance(race, LEASE + SECOND);
    note(race, "a lease and a second later B tries");
    enter(b);
    note(race, "A wakes up and releases");
    resume(a);
    leave(a);
    note(race, "C tries");
    enter(c);
}
