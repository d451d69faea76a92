// Race 1.6: two clients take over the same dead lock.
//
// A died, and its deadline is past. B and C both read the lock and see that. B
// takes the lock over. Then C, which still believes that the lock is A's, takes
// it over from B.
//
// Usually lost by: a takeover whose first command deletes the lock and does not
// ask whose it is.
// Source: the redis.io page on SETNX; YiiRedis pull request 18.
#include "race.h"

void double_takeover(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    enter(a);
    crash(a);
    advance(race, LEASE + SECOND);
    note(race, "A is dead and its time is past; B and C are about to take over");
    begin_enter(b);
    hold_change(b);
    begin_enter(c);
    hold_change(c);
    note(race, "B goes on");
    finish(b);
    note(race, "C goes on");
    finish(c);
}
