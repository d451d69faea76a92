// Race: a lock is opened with another lease than before.
//
// A opens the lock with a lease of 30 seconds, and closes it. Then it opens it
// with a lease of 5 seconds, gets in, and dies. Six seconds later the lock must
// be free.
//
// Usually lost by: handles or leases that are kept for each key, from the first
// time on. Then a dead client keeps everybody out for longer than it had asked.
// Source: deduced from libraries that keep their clients in a table.
#include "race_more.h"

void opened_with_another_lease(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A opens the lock anew, now with a lease of 5 seconds");
    reopen_for(a, 5 * SECOND);
    enter(a);
    need_exact_lease(a);
    crash(a);
    advance(race, 6 * SECOND);
    must_enter(b, "though A's lease of 5 seconds is over");
}
