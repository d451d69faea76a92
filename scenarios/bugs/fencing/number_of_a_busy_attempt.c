// Race: a busy attempt is given a number.
//
// A is cut off until its lease is over, and B gets in. A can reach the server
// again, and tries twice: a lock that is entered again may say "lost" at first.
// Then it is told "busy". Some function of A's that began in its own
// hold writes only now. The write must be refused: the number of A's hold is
// older than that of B's.
//
// Usually lost by: a number that is noted when a client queues up, and not when
// it gets in. It is newer than the holder's.
// Source: deduced.
#include "race_more.h"

void number_of_a_busy_attempt(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    judge_by_writes(race);
    note(race, "A is cut off until its lease is over; B gets in, and writes");
    enter(a);
    cut_off(a);
    outlast_lease(race);
    enter(b);
    write_if_inside(b);
    note(race, "A tries again, twice; then a function of its first hold writes");
    reconnect(a);
    enter(a);
    enter(a);
    need_busy(a);
    write_resource(a);
    write_if_inside(b);
}
