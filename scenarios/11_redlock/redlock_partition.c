// Race 11.7: the network splits, and both sides see one master.
//
// A reaches the first three of five masters, and B the last three. A gets the
// lock. B can have two masters, which is no majority, and must not get in. When
// A has left, B must get in.
//
// Usually lost by: a lock that leaves behind what a failed attempt has taken.
// Source: the Redis documentation on distributed locks: who gets no majority
// has to give back at once what it has.
#include "race_more.h"

void redlock_partition(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct server *first = race_server(race, 1);
    struct server *second = race_server(race, 2);
    struct server *fourth = race_server(race, 4);
    struct server *fifth = race_server(race, 5);

    note(race, "A reaches the first three masters, B the last three");
    cut_off_from(a, fourth);
    cut_off_from(a, fifth);
    cut_off_from(b, first);
    cut_off_from(b, second);
    must_enter(a, "though it reaches a majority of the masters");
    must_not_enter(b, "while A is inside");
    note(race, "A leaves, and B tries again");
    leave(a);
    must_enter(b, "though it reaches a majority of the masters");
}
