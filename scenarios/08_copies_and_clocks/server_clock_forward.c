// Race 8.5: the server's clock jumps forward.
//
// The server's clock was slow; somebody corrects it, and it jumps 40 seconds
// ahead. A has had the lock for a moment only, but its lease is over. B tries.
//
// Usually lost by: every lock whose lease is on the server's clock.
// Source: Kleppmann, How to do distributed locking.
#include "race.h"

void server_clock_forward(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct server *server = race_server(race, 1);

    enter(a);
    note(race, "the server's clock jumps 40 seconds ahead");
    set_server_clock_ahead(server, 40 * SECOND);
    note(race, "B tries while A is inside");
    enter(b);
}
