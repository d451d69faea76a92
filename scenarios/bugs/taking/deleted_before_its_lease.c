// Race: a new lock is deleted before it gets its lease.
//
// A takes the lock, and then needs another command, which is slow. Meanwhile an
// operator deletes the lock. A's other commands arrive, and B tries. If B gets
// in, A must have been told that its lock is gone.
//
// Usually lost by: an attempt that does not look whether its lock is still
// there when it gets its lease.
// Source: deduced.
#include "race_more.h"

void deleted_before_its_lease(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A tries; after its first command it is slow");
    begin_enter(a);
    hold_later_command(a, 2);
    note(race, "an operator deletes the lock");
    operate(race, "DEL KEY");
    note(race, "A goes on, and B tries");
    finish(a);
    enter(b);
}
