// Race 11.10: each of two clients has half of the masters.
//
// Four masters hold the lock. A has held it and released it. The network is
// split: A reaches the first two of them, and B the two others. Two of four is
// no majority. If that were enough, both would get in.
//
// Usually lost by: a majority that is rounded down.
// Source: redlock-php pull request 6, where one of two servers was to be
// enough.
#include "race_more.h"

void half_of_the_masters(struct race *race) {
    set_masters(race, 4);
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    struct server *first = race_server(race, 1);
    struct server *second = race_server(race, 2);
    struct server *third = race_server(race, 3);
    struct server *fourth = race_server(race, 4);

    need_masters(race, 4);
    enter(a);
    leave(a);
    note(race, "of four masters A reaches two, and B the two others");
    cut_off_from(a, third);
    cut_off_from(a, fourth);
    cut_off_from(b, first);
    cut_off_from(b, second);
    note(race, "A tries, and then B");
    enter(a);
    enter(b);
}
