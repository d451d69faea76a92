// Race 2.4: a holder checks, and is too late when it acts.
//
// A asks itself whether it still holds the lock, and it does. A is stopped
// before its next instruction, a write, for longer than the lease. B gets in
// and writes. Then A goes on and writes, because its check said yes. In this
// race only writes count.
//
// Usually lost by: every lock with a lease: a process can always be stopped
// between its check and its act.
// Source: Kleppmann, How to do distributed locking.
#include "race.h"

void check_then_act(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    judge_by_writes(race);
    enter(a);
    advance(race, 20 * SECOND);
    note(race, "A checks, and is stopped before it acts");
    ask(a);
    stop(a);
    advance(race, 2 * LEASE + SECOND);
    note(race, "more than a lease later B tries");
    enter(b);
    write_if_inside(b);
    note(race, "A goes on and acts");
    resume(a);
    write_resource(a);
}
