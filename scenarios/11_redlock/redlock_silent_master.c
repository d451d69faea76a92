// Race 11.9: the answer of one master is lost.
//
// Two of five masters are down. A gets the lock on the first two. The third
// gives it, too, and its answer is lost. So A has a majority, and does not know
// it. It must give back what it may have, also where it has heard nothing. B
// needs all three.
//
// Usually lost by: a lock that gives back only what it has heard of.
// Source: the Redis documentation on distributed locks: unlock also the
// instances that seem not to be locked.
#include "race_more.h"

void redlock_silent_master(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    struct server *fourth = race_server(race, 4);
    struct server *fifth = race_server(race, 5);

    note(race, "A has three of five masters, and the answer of the third is lost");
    begin_enter(a);
    crash_server(fourth);
    crash_server(fifth);
    pass_commands(a, 2);
    run_command(a);
    lose_answer(a);
    note(race, "A gives back what it may have, and B tries");
    must_enter(b, "though nobody has the lock");
}
