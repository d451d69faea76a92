// Race 6.5: an old answer is read as a new one.
//
// A tries, gives up waiting for the answer, and B gets in. Then A's first
// attempt reaches the server, and A tries again. On the connection of its first
// attempt, A would now take the first answer for the second. No lock here loses
// this race: a client that gives up closes its connection, and the late answer
// is lost with it.
//
// Usually lost by: a client that gives up on a connection, and goes on with it.
// Source: redis-py issue 2624.
#include "race.h"

void reply_desync(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A's attempt is slow, and A gives up");
    begin_enter(a);
    give_up(a);
    note(race, "B takes the lock");
    enter(b);
    note(race, "A's attempt lands, and A tries again");
    land(a);
    enter(a);
}
