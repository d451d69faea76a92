// Race: an attempt fails after a refusal.
//
// A tries while the servers take no writes, and is told so. Then they take
// writes again, and nobody has the lock: B gets in, and releases. A's next
// attempt must let it in, too, and its release must end that hold.
//
// Usually lost by: a transaction that is left open when a command in it was
// refused. Everything that comes later on this connection is refused, too.
// Source: deduced from the Redis documentation on MULTI.
#include "race_more.h"

void attempt_after_refusal(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A tries while no server takes writes");
    refuse_writes(race);
    enter(a);
    need_outside(a);
    accept_writes(race);
    note(race, "B gets in, and releases; A tries again");
    must_enter(b, "though nobody has the lock");
    leave(b);
    must_enter(a, "though the servers take writes again");
    leave(a);
    must_enter(b, "though A has released");
}
