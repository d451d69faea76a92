// Race 4.7: the watchdog's connection breaks.
//
// A works. The connection of its watchdog breaks in the middle of a renewal;
// nothing else goes wrong. The watchdog has to connect again and go on, or A's
// lease ends in the middle of its work. More than a lease later B tries.
//
// Usually lost by: a watchdog that ends with its first error.
// Source: Redisson issue 3194, python-redis-lock issue 85.
#include "race.h"

void watchdog_dies(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A's renewal is lost, and the connection breaks");
    enter(a);
    begin_renewal(a);
    lose_command(a);
    advance(race, LEASE + SECOND);
    note(race, "more than a lease later B tries while A is inside");
    enter(b);
}
