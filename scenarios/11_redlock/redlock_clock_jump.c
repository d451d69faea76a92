// Race 11.2: one master's clock jumps.
//
// A cannot reach the last two of five masters, and gets the lock on the other
// three. The clock of the third jumps forward by more than a lease, as when an
// administrator sets it. A's key there is over; the others stand. B tries: the
// third master and the last two are free, and that is a majority.
//
// Usually lost by: a lock on a majority of masters, if they count the lease by
// a clock that can be set.
// Source: Martin Kleppmann, How to do distributed locking.
#include "race_more.h"

void redlock_clock_jump(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct server *third = race_server(race, 3);
    struct server *fourth = race_server(race, 4);
    struct server *fifth = race_server(race, 5);

    note(race, "A gets the lock on three of five masters");
    cut_off_from(a, fourth);
    cut_off_from(a, fifth);
    enter(a);
    note(race, "the clock of one of these jumps 40 seconds ahead");
    set_server_clock_ahead(third, 40 * SECOND);
    note(race, "B tries while A is inside");
    enter(b);
}
