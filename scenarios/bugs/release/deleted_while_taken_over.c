// Race: a lock is deleted while somebody takes it over.
//
// A's process stands still for longer than its lease. B finds that the lease is
// over, and is about to take the lock. A goes on and releases: it looks whose
// the lock is, and nothing has changed yet. Then B's command runs, and B is
// inside. The rest of A's release must not remove B's lock. C tries.
//
// Usually lost by: a release that reads, compares and deletes, where a lock
// whose lease is over stays on the server until somebody writes over it.
// Source: deduced.
#include "race.h"

void deleted_while_taken_over(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    note(race, "A's lease is over, and B is about to take the lock");
    enter(a);
    stop(a);
    advance(race, LEASE + SECOND);
    begin_enter(b);
    hold_change(b);
    note(race, "A goes on and releases; after its first command it is slow");
    resume(a);
    begin_leave(a);
    pass_command(a);
    note(race, "B's command runs");
    finish(b);
    note(race, "the rest of A's release runs; C tries");
    finish(a);
    enter(c);
}
