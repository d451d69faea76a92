// Race 13.6: the server answers when the lock is free, and not before.
//
// A is inside for eight seconds. B waits for the lock, for ten at most. While
// it waits, it may hear nothing from the server for a long time. When A
// releases, B must get in within a second.
//
// Usually lost by: a time-out of two seconds for every answer, also for the one
// that comes when the lock is free.
// Source: deduced from the MySQL manual on GET_LOCK, which waits on the server.
#include "race_more.h"

void long_wait_for_an_answer(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A is inside for eight seconds; B waits for ten at most");
    enter(a);
    wait_for_lock(b, 10 * SECOND);
    outwait(b, 8 * SECOND);
    leave(a);
    advance(race, SECOND);
    must_have_got_in(b, "though A has released, and B's patience is not over");
}
