// Race 3.11: a release that is late meets its client's next hold.
//
// A releases. The command is slow on the wire, and A gives up waiting for it.
// A releases again, and takes the lock anew. Then the first release reaches the
// server. It was meant for A's first hold of the lock. B tries while A is
// inside for the second time.
//
// Usually lost by: a release that compares nothing, or only the client, or
// compares in one command and deletes in the next.
// Source: deduced from etcd issue 22082, where the release is sent again.
#include "race_more.h"

void late_release_meets_next_hold(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A's release is slow, and A gives up waiting");
    enter(a);
    begin_leave(a);
    hold_change(a);
    give_up(a);
    need_no_wait(a);
    note(race, "A releases again, and takes the lock anew");
    leave_again(a);
    enter(a);
    need_inside(a);
    note(race, "the first release lands");
    land(a);
    note(race, "B tries while A is inside");
    enter(b);
}
