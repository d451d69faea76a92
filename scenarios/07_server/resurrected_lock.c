// Race 7.3: an old dump brings a lock back.
//
// The server saves a dump while A holds the lock. A releases and ends. The
// server is restarted from the dump: A's lock is there again, although A has
// released it. A second after the lease B tries.
//
// Usually lost by: a lock without a lease; the others go when their lease is
// over.
// Source: the Redis documentation on persistence; replayed here.
#include "race.h"

void resurrected_lock(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct server *server = race_server(race, 1);

    enter(a);
    note(race, "the server saves a dump while A is inside");
    operate(race, "SAVE");
    leave(a);
    crash(a);
    note(race, "it is restarted from the dump");
    crash_server(server);
    start_server(server);
    advance(race, LEASE + SECOND);
    note(race, "a second after the lease B tries");
    must_enter(b, "a lease after the server came back, and nobody is inside");
}
