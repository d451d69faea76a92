// Race 9.8: a waiter's last attempt is granted when its patience is over.
//
// B waits for ten seconds. Its last attempt is on its way when A releases, so
// it is granted; but the answer comes a second after the end of B's patience. B
// may say that it got in, and then it has to release. If it says that the lock
// was busy, the lock must not be its own: C must get in.
//
// Usually lost by: a time-out that forgets the attempt under way.
// Source: Redisson issue 4197.
#include "race_more.h"

void patience_ends(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    enter(a);
    wait_for_lock(b, 10 * SECOND);
    note(race, "B's patience ends with one more attempt; A releases before it");
    begin_last_attempt(b);
    leave(a);
    run_command(b);
    note(race, "the answer comes a second late");
    advance(race, SECOND);
    finish(b);
    leave_if_inside(b);
    must_enter(c, "though A has released and B is not inside");
}
