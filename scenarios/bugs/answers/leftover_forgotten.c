// Race: a client forgets the leftover of its own attempt.
//
// A's release is lost on its way. A does not repeat it, and tries again; that
// attempt's first command is lost, too. A releases if it cannot know whether it
// is inside. A lease later B must get in.
//
// Usually lost by: an attempt that deletes the key of an earlier one, ignores
// that this fails, and forgets the token.
// Source: deduced.
#include "race_more.h"

void leftover_forgotten(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A's release is lost, and then the first command of its attempt");
    enter(a);
    begin_leave(a);
    lose_command(a);
    begin_enter(a);
    lose_command(a);
    leave_if_unsure(a);
    note(race, "more than a lease later B tries");
    advance(race, LEASE + SECOND);
    must_enter(b, "though nobody has the lock");
}
