// Race: the server refuses an attempt's second command.
//
// A's first command runs. The server refuses the next one: it has become
// read-only, say, or its memory is full. A's answer must be true: "error" means
// that nothing has happened, and then A does not release. If it was told
// "unknown", it releases. An hour later B tries.
//
// Usually lost by: an attempt of several commands that reports the error of its
// last one, and forgets what the first has done.
// Source: deduced.
#include "race_more.h"

void refused_second_command(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A's first command runs, and the next one is refused");
    begin_enter(a);
    pass_command(a);
    refuse_command(a);
    finish(a);
    note(race, "A releases, unless it was told that nothing has happened");
    leave_if_unsure(a);
    note(race, "an hour later B tries");
    advance(race, HOUR);
    must_enter(b, "an hour later, though nobody is inside");
}
