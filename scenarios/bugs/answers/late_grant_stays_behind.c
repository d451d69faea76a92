// Race: a grant that comes too late stays behind.
//
// A's attempt is slow on the wire. It reaches the server more than a lease
// later, and there it succeeds. A lock that measures how long its attempts take
// does not believe such a grant. Then it must give the lock back: nobody is
// inside, and B must get in. (A leaves if it is inside.)
//
// Usually lost by: an acquire that refuses a late grant and leaves its lock
// behind.
// Source: deduced.
#include "race_more.h"

void late_grant_stays_behind(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A's lock has a lease that the server ends");
    enter(a);
    need_exact_lease(a);
    leave(a);
    note(race, "A's next attempt is slow on the wire");
    begin_enter(a);
    hold_change(a);
    advance(race, LEASE + SECOND);
    note(race, "a lease and a second later it arrives; A leaves if it is in");
    finish(a);
    leave_if_inside(a);
    note(race, "B tries");
    must_enter(b, "though A is not inside");
}
