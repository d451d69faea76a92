// Race 8.6: the server's clock goes back.
//
// A takes the lock and dies. The server has noted the end of the lease as a
// time of day. Its clock goes back by an hour, so that time is now an hour and
// half a minute away. A second after the lease should have ended, B tries.
//
// Usually lost by: every lock whose lease is on the server's clock, and one
// without a lease.
// Source: Kleppmann, How to do distributed locking; replayed here.
#include "race.h"

void server_clock_back(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct server *server = race_server(race, 1);

    note(race, "A takes the lock and dies");
    enter(a);
    crash(a);
    note(race, "the server's clock goes back by an hour");
    set_server_clock_ahead(server, -HOUR);
    advance(race, LEASE + SECOND);
    note(race, "a second after the lease B tries");
    must_enter(b, "a second after the lease of A, who is dead");
}
