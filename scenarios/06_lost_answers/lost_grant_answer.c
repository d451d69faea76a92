// Race 6.1: the lock is granted, and the answer is lost.
//
// A's command to take the lock runs on the server. The answer is lost, and the
// connection breaks. A does not know whether it has the lock. It connects anew
// and tries again at once. If it gets in, it releases. In both cases nobody is
// inside then, so B must get in when one lease is over.
//
// Usually lost by: a lock that has no lease yet when the answer is lost.
// Source: node-redlock pull request 369.
#include "race_more.h"

void lost_grant_answer(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A's command runs, and the answer is lost with the connection");
    begin_enter(a);
    hold_change(a);
    run_command(a);
    lose_answer(a);
    note(race, "A connects again and tries again");
    enter_if_outside(a);
    leave_if_inside(a);
    advance(race, LEASE + SECOND);
    note(race, "a second after the lease B tries");
    must_enter(b, "though a lease has passed and nobody is inside");
}
