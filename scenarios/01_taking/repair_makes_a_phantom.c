// Race 1.5: a loser repairs a lock that is gone.
//
// B tries while A is inside and is told no. Before B sends its next command, if
// it has one, A releases. In some locks a loser gives a lease to a lock that
// has none. Here this makes a lock that nobody holds.
//
// Usually lost by: a loser that writes to the lock of somebody else.
// Source: Hilary pull request 793.
#include "race.h"

void repair_makes_a_phantom(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    note(race, "B tries while A is inside; after its first command it is slow");
    enter(a);
    begin_enter(b);
    pass_command(b);
    note(race, "A releases");
    leave(a);
    note(race, "B goes on");
    finish(b);
    leave_if_inside(b);
    note(race, "C tries");
    must_enter(c, "though A has released and B was not let in");
}
