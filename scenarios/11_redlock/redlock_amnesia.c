// Race 11.3: one master starts again with nothing in it.
//
// A cannot reach the last two of five masters, and gets the lock on the other
// three. The third is killed and starts again with an empty memory: it has
// forgotten A. B tries: the third master and the last two are free, and that is
// a majority.
//
// Usually lost by: a lock on a majority of masters, if a master that has lost
// its memory takes part again before the longest lease is over.
// Source: the Redis documentation on distributed locks.
#include "race_more.h"

void redlock_amnesia(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct server *third = race_server(race, 3);
    struct server *fourth = race_server(race, 4);
    struct server *fifth = race_server(race, 5);

    note(race, "A gets the lock on three of five masters");
    cut_off_from(a, fourth);
    cut_off_from(a, fifth);
    enter(a);
    note(race, "one of these loses its memory");
    restart_server_empty(third);
    note(race, "B tries while A is inside");
    enter(b);
}
