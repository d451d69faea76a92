// Race 7.6: the server forgets its scripts.
//
// Scripts live in the server's memory, and are gone after a restart, a
// failover or SCRIPT FLUSH. A holds the lock and has to release it by a script
// that the server no longer knows.
//
// Usually lost by: a client that cannot send its script again.
// Source: redlock-rb issue 27.
#include "race.h"

void script_flush(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    operate(race, "SCRIPT FLUSH");
    note(race, "A releases");
    leave(a);
    note(race, "B tries");
    must_enter(b, "though A has released");
}
