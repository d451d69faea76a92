// Race 10.5: the resource checks a number in one step and writes in the next.
//
// A's write reaches the resource in time. The resource looks at the number, and
// A's is the highest. Its write is slow; A gives up waiting for it, and
// releases. B gets in, and writes under a higher number. Then A's write lands:
// nobody checks it again. A fencing token helps only if the resource compares
// and writes in one step, so that nothing can come between.
//
// Usually lost by: every lock whose resource checks and writes apart, also one
// with fencing tokens.
// Source: Kleppmann, How to do distributed locking.
#include "race_more.h"

void resource_checks_apart(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    note(race, "the resource checks A's number, and is slow to write; A gives up waiting");
    begin_write_apart(a);
    pass_command(a);
    give_up(a);
    leave(a);
    note(race, "B gets in and writes");
    enter(b);
    write_apart(b);
    note(race, "A's write lands");
    land(a);
}
