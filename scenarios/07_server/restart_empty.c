// Race 7.1: the server restarts with nothing in it.
//
// A holds the lock. The server, which stores nothing on disk, is killed and
// starts again: all locks are gone. B tries.
//
// Usually lost by: every lock on one server.
// Source: the Redis documentation on distributed locks.
#include "race.h"

void restart_empty(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct server *server = race_server(race, 1);

    note(race, "A takes the lock");
    enter(a);
    restart_server_empty(server);
    note(race, "B tries while A is inside");
    enter(b);
}
