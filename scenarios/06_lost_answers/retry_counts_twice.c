// Race 6.2: an attempt that is repeated counts twice.
//
// A's attempt runs, the answer is lost, and A tries again. To A this is one
// entry, so it will release once. If the lock has counted two, the count does
// not come to zero, and the watchdog renews the lock for ever.
//
// Usually lost by: a lock that counts each repeated attempt again, and one
// without a lease.
// Source: Redisson issue 4822.
#include "race_more.h"

void retry_counts_twice(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A's command runs, and the answer is lost with the connection");
    begin_enter(a);
    hold_change(a);
    run_command(a);
    lose_answer(a);
    note(race, "A connects again and tries again; if it gets in, it releases");
    enter_if_outside(a);
    leave_if_inside(a);
    advance(race, 2 * LEASE + SECOND);
    note(race, "two leases later B tries");
    must_enter(b, "though A is outside");
}
