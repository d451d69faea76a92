// Race: the lock is released in the middle of an attempt.
//
// A is inside. B's attempt needs more than one command, and between two of them
// A releases. B goes on, and stays inside if it gets in. C tries.
//
// Usually lost by: an attempt that takes "there is no lock any more" for "it is
// mine".
// Source: deduced.
#include "race.h"

void released_mid_attempt(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    note(race, "B tries while A is inside; after its first command it is slow");
    enter(a);
    begin_enter(b);
    pass_command(b);
    note(race, "A releases");
    leave(a);
    note(race, "B goes on, and C tries");
    finish(b);
    enter(c);
}
