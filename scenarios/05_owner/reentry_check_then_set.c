// Race 5.3: the lock expires between looking and counting.
//
// A is about to take its lock a second time: it has read that the lock is its
// own. Then its process is stopped, and the lease runs out. B is inside when
// A's next command reaches the server. B must keep the lock.
//
// Usually lost by: a lock that reads its owner in one command and counts in
// another.
// Source: Redisson issue 84.
#include "race_more.h"

void reentry_check_then_set(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A calls a function that takes the lock too; it has looked");
    enter(a);
    end_work(a);
    begin_enter(a);
    pass_read(a);
    hold_change(a);
    note(race, "A is stopped");
    stop(a);
    advance(race, LEASE + SECOND);
    note(race, "a lease and a second later B tries");
    enter(b);
    keep_key(race);
    note(race, "A goes on");
    resume(a);
    finish(a);
    must_have_kept_key(race);
}
