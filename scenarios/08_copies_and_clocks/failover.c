// Race 8.1: the lock has not reached the replica that takes over.
//
// Replication is asynchronous. When the master dies, only the master has A's
// lock. The replica becomes the new master, without A's lock. B tries.
//
// Usually lost by: every lock on one master.
// Source: the Redis documentation on distributed locks.
#include "race.h"

void failover(struct race *race) {
    struct server *replica = race_replica(race);
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct server *server = race_server(race, 1);

    note(race, "nothing reaches the replica; A takes the lock on the master");
    hold_replication(replica);
    enter(a);
    note(race, "the master dies, and the replica takes over");
    crash_server(server);
    promote(replica);
    reach(a, replica);
    reach(b, replica);
    note(race, "B tries while A is inside");
    enter(b);
}
