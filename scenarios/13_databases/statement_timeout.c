// Race 13.4: a client waits too long for a row, and goes on without it.
//
// A is about to get the lock: it has sent all but the last of its commands, and
// is slow. B waits for the lock. In some databases B's statement now waits for
// A's row. After a time-out the server undoes this statement, and nothing else
// of B's transaction. Then A goes on.
//
// Usually lost by: a transaction of which only the COMMIT is checked.
// Source: the MySQL manual on error handling.
#include "race_more.h"

void statement_timeout(struct race *race) {
    struct client *z = race_client(race, "Z");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "Z shows how many commands it takes to get in");
    int commands = enter(z);
    leave(z);
    note(race, "A has sent all but the last of its commands, and is slow");
    begin_enter(a);
    pass_commands(a, commands - 1);
    note(race, "B waits for the lock");
    wait_for_lock(b, MINUTE);
    advance(race, 5 * SECOND);
    note(race, "A goes on");
    finish(a);
}
