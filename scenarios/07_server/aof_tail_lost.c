// Race 7.2: the last second before a power failure is lost.
//
// The server writes its commands to an append-only file, and once a second it
// makes sure that the file is on the disk. A takes the lock, and the power
// fails before that second is over. When the server is back, it has no trace of
// A's lock. B tries.
//
// Usually lost by: every lock on one server that answers before its disk has
// the lock.
// Source: the Redis documentation on persistence.
#include "race_more.h"

void aof_tail_lost(struct race *race) {
    set_server_options(race, "--appendonly yes --appendfsync everysec");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    sync_disk(race);
    note(race, "A takes the lock; within the same second the power fails");
    enter(a);
    lose_power(race);
    note(race, "B tries while A is inside");
    enter(b);
}
