// Race 13.1: the holder's connection breaks, and it works on.
//
// A holds the lock. Its connection breaks, because a firewall has forgotten it,
// or because nothing was said on it for too long; a new one would work at once.
// B tries. A has noticed nothing: it does not speak to the server while it
// works. Its next step is a write. If the lock has ended with the connection, B
// is inside and has written. In this race only writes count.
//
// Usually lost by: a lock that lasts as long as a connection, when the write is
// sent on another one.
// Source: the MySQL manual on automatic reconnection.
#include "race.h"

void connection_dies(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    judge_by_writes(race);
    note(race, "A takes the lock; its connections break, new ones would work");
    enter(a);
    cut_off(a);
    reconnect(a);
    note(race, "B tries, and writes if it is let in");
    enter(b);
    write_if_inside(b);
    note(race, "A goes on with its work");
    write_resource(a);
}
