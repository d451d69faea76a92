// Race 10.3: the counter is lost, and two holds have the same number.
//
// A takes the lock and is stopped. The server, which stores nothing on disk, is
// killed and starts again, without the lock and without the counter. B gets in
// and writes. Then A goes on and writes. If the numbers of holds are counted by
// the server, B's hold has the number that A's hold has, and the resource
// cannot tell them apart. In this race only writes count.
//
// Usually lost by: every lock on one server, also one that counts its holds.
// Source: Kleppmann, How to do distributed locking: a counter on one node is
// not enough.
#include "race.h"

void fencing_counter_lost(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct server *server = race_server(race, 1);

    judge_by_writes(race);
    note(race, "A takes the lock and is stopped before it writes");
    enter(a);
    stop(a);
    restart_server_empty(server);
    note(race, "B gets in and writes");
    enter(b);
    write_if_inside(b);
    note(race, "A goes on and writes");
    resume(a);
    write_resource(a);
}
