// Race: two losers see that the lock is free.
//
// B and C try while A is inside, and are refused. Some locks have a loser look
// at the lock then. Before they look, A releases, and both see that the lock is
// free. Their next commands arrive after both have looked. Only one of them may
// get in.
//
// Usually lost by: a loser that looks, sees no lock, and takes it without a
// condition.
// Source: deduced.
#include "race.h"

void two_losers_see_it_free(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    note(race, "B and C try while A is inside; then they are slow");
    enter(a);
    begin_enter(b);
    pass_command(b);
    begin_enter(c);
    pass_command(c);
    note(race, "A releases, and both look again");
    leave(a);
    pass_command(b);
    pass_command(c);
    note(race, "both go on");
    finish(b);
    finish(c);
}
