// Race: the loser of a takeover undoes too much.
//
// A died, and its time is past. B and C both see that. B takes the lock over; C
// comes too late and is refused. C may take back only what is its own. D tries
// while B is inside.
//
// Usually lost by: a loser that deletes the lock, because it has written to it.
// Source: deduced.
#include "race.h"

void takeover_loser_undoes(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");
    struct client *d = race_client(race, "D");

    note(race, "A is dead and its time is past; B and C are about to take over");
    enter(a);
    crash(a);
    advance(race, LEASE + SECOND);
    begin_enter(b);
    hold_change(b);
    begin_enter(c);
    hold_change(c);
    note(race, "B gets in; C comes too late");
    finish(b);
    finish(c);
    note(race, "D tries while B is inside");
    enter(d);
}
