// Race: a late renewal kills the client's next hold.
//
// A's renewal is slow on the wire when A releases. A takes the lock anew. Now
// the old renewal reaches the server and is answered: that lock is not there
// any more. This is said of the first hold and not of the second. A works for
// longer than a lease, and B tries.
//
// Usually lost by: a release that does not wait for the renewal under way, and
// a watchdog that takes its answer for one about the new hold. A release that
// waits cannot be overtaken by it.
// Source: deduced.
#include "race_more.h"

void late_renewal_kills_next_hold(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A's renewal is slow on the wire, and A releases");
    enter(a);
    begin_renewal(a);
    leave(a);
    need_no_wait(a);
    note(race, "A takes the lock anew, and the old renewal arrives");
    enter(a);
    finish(a);
    note(race, "more than a lease later B tries while A is at work");
    advance(race, LEASE + SECOND);
    must_not_enter(b, "though A is at work and can renew its lease");
}
