// Race 1.4: clients that try keep a dead lock alive.
//
// A is killed while it holds the lock. B tries every nine seconds, as a waiting
// client does. If each attempt sets the lease anew, A's lock stays for as long
// as any client tries to get it.
//
// Usually lost by: losers that set the lease anew, and a lock without a lease.
// Source: the redis.io page on SETNX; replayed here.
#include "race.h"

void losers_keep_it_alive(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A takes the lock and dies inside; B tries every nine seconds");
    enter(a);
    crash(a);
    advance(race, 9 * SECOND);
    enter(b);
    advance(race, 9 * SECOND);
    enter(b);
    advance(race, 9 * SECOND);
    enter(b);
    advance(race, 13 * SECOND);
    note(race, "40 seconds after A died B tries again");
    must_enter(b, "40 seconds after A died");
}
