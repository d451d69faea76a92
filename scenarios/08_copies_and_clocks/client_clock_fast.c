// Race 8.4: one client's clock is ahead.
//
// B's wall clock is 40 seconds ahead of all others, because its time server is
// wrong, or because it runs on a virtual machine that was suspended. A takes
// the lock; B tries at once.
//
// Usually lost by: a lock whose deadline is compared with the clients' clocks.
// Source: ShedLock issue 231.
#include "race.h"

void client_clock_fast(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    set_clock_ahead(b, 40 * SECOND);
    note(race, "A takes the lock");
    enter(a);
    note(race, "B, whose clock is 40 seconds ahead, tries");
    enter(b);
}
