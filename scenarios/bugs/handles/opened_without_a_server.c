// Race: a client is opened while it reaches no server.
//
// A has held the lock and released it. Then its network is down for a moment.
// Just then A closes the lock and opens it anew. That may fail. The network is
// back, and A opens the lock again. Now nothing is wrong.
//
// Usually lost by: an opening that goes on without a connection.
// Source: deduced.
#include "race_more.h"

void opened_without_a_server(struct race *race) {
    struct client *a = race_client(race, "A");

    enter(a);
    leave(a);
    note(race, "A opens the lock anew while it reaches no server");
    cut_off(a);
    reopen(a);
    note(race, "its network is back, and A opens the lock again");
    reconnect(a);
    reopen(a);
    must_enter(a, "though nobody has the lock");
}
