// Race: a loser repairs the lock before it has its lease.
//
// A takes the lock, and then needs another command, which is slow. Meanwhile B
// tries. A's other commands arrive. The client inside leaves. Then the lock is
// free, and C must get in.
//
// Usually lost by: a winner that takes what a loser has repaired for somebody
// else's lock.
// Source: deduced.
#include "race.h"

void repaired_before_its_lease(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    note(race, "A tries; after its first command it is slow");
    begin_enter(a);
    pass_command(a);
    note(race, "B tries");
    enter(b);
    note(race, "A goes on; whoever is inside leaves");
    finish(a);
    leave_if_inside(a);
    leave_if_inside(b);
    note(race, "C tries");
    must_enter(c, "though nobody is inside");
}
