// Race: the undo of a takeover comes late.
//
// A died, and its time is past. B sees that, but C takes the lock over first. B
// is refused, and what it sends then is slow. C dies, too, and D takes over
// from it. Now B's last command arrives. D is still inside. E tries.
//
// Usually lost by: a loser that puts back what it has overwritten.
// Source: deduced.
#include "race_more.h"

void late_undo_of_a_takeover(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");
    struct client *d = race_client(race, "D");
    struct client *e = race_client(race, "E");

    note(race, "A is dead; B is about to take over, and C is faster");
    enter(a);
    crash(a);
    advance(race, LEASE + SECOND);
    begin_enter(b);
    hold_change(b);
    enter(c);
    note(race, "B is refused, and the rest of its attempt is slow");
    pass_command(b);
    note(race, "C dies, and D takes over");
    crash(c);
    advance(race, 2 * LEASE);
    enter(d);
    note(race, "the rest of B's attempt arrives; E tries");
    finish_on_any_connection(b);
    enter(e);
}
