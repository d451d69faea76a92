// Race: a release command is lost.
//
// A releases. The command that would end its lock is lost with the connection,
// before it has run. A does not know that, so it releases again. This second
// command arrives, and the lock must be free at once. B tries.
//
// Usually lost by: a release that forgets the token, or the count, before it
// has heard that it succeeded.
// Source: deduced.
#include "race.h"

void lost_release_command(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A releases, and the command is lost before it has run");
    enter(a);
    begin_leave(a);
    hold_change(a);
    lose_command(a);
    note(race, "A releases again, and B tries");
    leave(a);
    must_enter(b, "though A's second release has arrived");
}
