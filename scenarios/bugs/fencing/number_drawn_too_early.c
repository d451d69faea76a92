// Race: the number of a hold is drawn too early.
//
// A begins to acquire; after its first command it is slow. B gets in, writes
// and releases. Then A gets in and writes. A is the only one who is inside, and
// nobody has got in after it: the resource must take A's write.
//
// Usually lost by: a fencing token that is drawn with a command of its own,
// before the lock is taken.
// Source: deduced.
#include "race.h"

void number_drawn_too_early(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A begins, and is slow after its first command");
    begin_enter(a);
    pass_command(a);
    note(race, "B gets in, writes and releases, if A has not got in");
    enter(b);
    write_if_inside(b);
    leave_if_inside(b);
    note(race, "A goes on, and writes");
    finish(a);
    write_if_inside(a);
}
