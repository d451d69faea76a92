// Race 11.1: two of five masters are down.
//
// A lock on the majority of five masters does not need all of them. Two are
// killed. A must get in on the other three, and B must not. When A has left, B
// must get in.
//
// Usually lost by: nobody; it is what such a lock is for.
// Source: the Redis documentation on distributed locks; redlock-rb issue 60.
#include "race.h"

void redlock_minority_down(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct server *fourth = race_server(race, 4);
    struct server *fifth = race_server(race, 5);

    note(race, "two of five masters die; A tries, and then B");
    crash_server(fourth);
    crash_server(fifth);
    must_enter(a, "though a majority of the masters is up");
    must_not_enter(b, "while A is inside");
    note(race, "A leaves, and B tries again");
    leave(a);
    must_enter(b, "though a majority of the masters is up");
}
