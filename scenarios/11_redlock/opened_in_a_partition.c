// Race 11.11: a client is opened on the small side of a partition.
//
// A has held the lock and released it. The network is split: A reaches the
// first two of five masters, B the three others. Both close their handles and
// open new ones. A tries, and reaches no majority, whatever it knew when it was
// opened. B reaches one, and gets in.
//
// Usually lost by: a majority of the masters that answered when the handle was
// opened.
// Source: redlock-py pull request 6.
#include "race_more.h"

void opened_in_a_partition(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct server *first = race_server(race, 1);
    struct server *second = race_server(race, 2);
    struct server *third = race_server(race, 3);
    struct server *fourth = race_server(race, 4);
    struct server *fifth = race_server(race, 5);

    enter(a);
    leave(a);
    note(race, "A reaches two masters, B the three others; both open anew");
    cut_off_from(a, third);
    cut_off_from(a, fourth);
    cut_off_from(a, fifth);
    cut_off_from(b, first);
    cut_off_from(b, second);
    reopen(a);
    reopen(b);
    note(race, "A tries, and then B");
    enter(a);
    must_enter(b, "though it reaches a majority, and A none");
}
