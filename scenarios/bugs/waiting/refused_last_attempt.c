// Race: a waiter's last attempt is refused.
//
// A is inside, B waits for a second. When its patience ends, the server refuses
// the command with which B tries once more, or leaves its place in a queue. If
// B is told "unknown", it releases. Then A releases, and C must get in.
//
// Usually lost by: a waiter with a place on the server that answers "busy" or
// "error" though its place is still there. When its turn comes, nobody uses it.
// Source: deduced from the recipe for a lock in the documentation of ZooKeeper,
// where a waiter has a node.
#include "race_more.h"

void refused_last_attempt(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    enter(a);
    note(race, "B waits; what it sends when its patience ends is refused");
    wait_for_lock(b, SECOND);
    begin_last_attempt(b);
    hold_change(b);
    refuse_command(b);
    finish(b);
    leave_if_unsure(b);
    note(race, "A releases");
    leave(a);
    must_enter(c, "though nobody has the lock");
}
