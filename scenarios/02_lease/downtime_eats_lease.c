// Race 2.7: the server is down for longer than the lease.
//
// The server loses no data: it writes every command to its append-only file.
// But it is down for longer than the lease, and the lease runs on. When the
// server is back, A's lease is over. A asks itself whether it still holds the
// lock, and stops its work if not. Then B tries.
//
// Usually lost by: every lock with a lease whose holder has no deadline of its
// own.
// Source: the Redis documentation on EXPIRE.
#include "race_more.h"

void downtime_eats_lease(struct race *race) {
    set_server_options(race, "--appendonly yes --appendfsync always");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct server *server = race_server(race, 1);

    enter(a);
    crash_server(server);
    advance(race, LEASE + SECOND);
    start_server(server);
    note(race, "a second after the lease the server is back: does A know?");
    ask(a);
    note(race, "B tries");
    enter(b);
}
