// Race 8.3: WAIT has counted another replica.
//
// There are two replicas. A takes the lock. Then something else is written, and
// WAIT says that one replica has it: so this replica has A's lock, too. The
// master dies, and the other replica is promoted.
//
// Usually lost by: every lock on one master, also if WAIT has counted its
// replicas.
// Source: the Redis documentation on WAIT; Redisson issue 5256.
#include "race.h"

void wait_is_not_enough(struct race *race) {
    race_replica(race);
    struct server *second = race_replica(race);
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct server *server = race_server(race, 1);

    note(race, "nothing reaches the second replica; A takes the lock");
    hold_replication(second);
    enter(a);
    note(race, "something is written behind it: how many replicas have both?");
    operate(race, "SET behind it");
    operate(race, "WAIT 1 0");
    note(race, "the master dies, and the other replica takes over");
    crash_server(server);
    promote(second);
    reach(a, second);
    reach(b, second);
    note(race, "B tries while A is inside");
    enter(b);
}
