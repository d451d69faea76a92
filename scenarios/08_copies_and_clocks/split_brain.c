// Race 8.2: two servers think that they are the master.
//
// The network splits in two. On A's side the master goes on; on B's side the
// replica is promoted to a master. Each of the two gives the lock to its
// client.
//
// Usually lost by: every lock on one master.
// Source: the Redis cluster specification.
#include "race.h"

void split_brain(struct race *race) {
    struct server *replica = race_replica(race);
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "the network splits; the replica is promoted on B's side");
    hold_replication(replica);
    promote(replica);
    note(race, "A takes the lock on its side");
    enter(a);
    note(race, "B tries on the other");
    reach(b, replica);
    enter(b);
}
