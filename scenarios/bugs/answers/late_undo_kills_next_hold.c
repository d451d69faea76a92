// Race: a late undo kills the client's next hold.
//
// The answer to A's command takes a whole lease. A knows that it is too late,
// and gives the lock back. This command is slow as well, and A does not wait
// for it. A asks again and gets in. Then the old command arrives. It must not
// remove A's new lock. B tries.
//
// Usually lost by: a token that is used again for the next attempt, because
// this one did not get in.
// Source: deduced.
#include "race_more.h"

void late_undo_kills_next_hold(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "the answer to A takes a whole lease");
    begin_enter(a);
    run_command(a);
    advance(race, LEASE + SECOND);
    note(race, "A gives the lock back; that is slow, and A does not wait");
    pass_command(a);
    give_up(a);
    need_outside(a);
    note(race, "A asks again; then the old command arrives");
    enter(a);
    need_inside(a);
    land(a);
    note(race, "B tries while A is inside");
    enter(b);
}
