// Race 1.7: a loser of the race for a dead lock prolongs the winner's lease.
//
// A died, and its deadline is past. B and C both read the lock and see that. B
// sends the command that takes the lock over, owns it, and dies at once. C
// sends the same command 15 seconds later and loses. A second after the end of
// B's lease D must get in, because nobody has held the lock since B.
//
// Usually lost by: a takeover that writes before it knows whether it has won.
// Source: the redis.io page on SETNX, which calls this tolerable.
#include "race.h"

void loser_overwrites_deadline(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");
    struct client *d = race_client(race, "D");

    need_exact_instants(race);
    enter(a);
    crash(a);
    advance(race, LEASE + SECOND);
    note(race, "A is dead and its time is past; B and C are about to take over");
    begin_enter(b);
    int looks = hold_change(b);
    begin_enter(c);
    hold_answer(c, looks);
    note(race, "B goes on, owns the lock, and dies");
    finish(b);
    crash(b);
    advance(race, 15 * SECOND);
    note(race, "15 seconds later C goes on, and loses");
    finish(c);
    advance(race, LEASE - 15 * SECOND + SECOND);
    note(race, "a lease and a second after B got the lock D tries");
    must_enter(d, "a lease and a second after B, who is dead, got the lock");
}
