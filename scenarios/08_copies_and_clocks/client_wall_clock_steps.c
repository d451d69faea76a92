// Race 8.7: the holder's own clock steps back.
//
// A is inside, and its wall clock is set back by an hour. Then its network
// fails. So A has to know by itself when its lease is over. If A has noted its
// deadline as a time of day, that deadline is now an hour too late.
//
// Usually lost by: every lock with a lease whose holder has no deadline of its
// own, or has noted it as a time of day.
// Source: redis-py issue 1402.
#include "race.h"

void client_wall_clock_steps(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    note(race, "A's clock steps back by an hour, and its network goes");
    set_clock_ahead(a, -HOUR);
    cut_off(a);
    advance(race, LEASE + SECOND);
    note(race, "a second after the lease: does A know?");
    ask(a);
    note(race, "B tries");
    enter(b);
}
