// Race 3.10: the owner cannot release a lock that a loser has written over.
//
// A died, and its deadline is past. B and C both read the lock and see that. B
// sends the command that takes the lock over, and owns it. C sends the same
// command 15 seconds later and loses. In some locks C's command has changed the
// value of B's lock by then. B releases, and D must get in.
//
// Usually lost by: a release that looks for the owner's value, if losers write
// too; and a takeover that deletes.
// Source: deduced from hiredis-locker and the redis.io page on SETNX.
#include "race.h"

void loser_blocks_release(struct race *race) {
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
    note(race, "B goes on, and owns the lock");
    finish(b);
    advance(race, 15 * SECOND);
    note(race, "15 seconds later C goes on, and loses");
    finish(c);
    note(race, "B releases");
    leave(b);
    note(race, "D tries");
    must_enter(d, "though B has released");
}
