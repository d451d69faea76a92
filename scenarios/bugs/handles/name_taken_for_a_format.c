// Race: a lock's name is taken for a format.
//
// The lock is called sale:50%s-off. A takes it. B must not get in beside A, and
// must get in when A has released.
//
// Usually lost by: a name that is made a part of the format of a command. Then
// the percent sign asks for an argument that is not there.
// Source: deduced.
#include "race_more.h"

void name_taken_for_a_format(struct race *race) {
    set_key(race, "sale:50%s-off");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A takes the lock, and B tries");
    enter(a);
    must_not_enter(b, "while A is inside");
    note(race, "A releases, and B tries again");
    leave(a);
    must_enter(b, "though A has released");
}
