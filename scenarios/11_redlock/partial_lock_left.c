// Race 11.6: a client has a minority and goes away.
//
// One of five masters is down. A cannot reach two others, gets the remaining
// two, which is no majority, and ends. B reaches four masters, and must get in.
//
// Usually lost by: a lock that leaves behind what a failed attempt has taken.
// Source: the Redis documentation on distributed locks.
#include "race_more.h"

void partial_lock_left(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct server *third = race_server(race, 3);
    struct server *fourth = race_server(race, 4);
    struct server *fifth = race_server(race, 5);

    note(race, "A gets two of five masters, and goes away");
    crash_server(fifth);
    cut_off_from(a, third);
    cut_off_from(a, fourth);
    enter(a);
    crash(a);
    note(race, "B reaches four of five masters");
    must_enter(b, "though nobody has the lock");
}
