// Race: the lease ends in the middle of a release.
//
// A's release needs several commands. After the first one its lease ends, and B
// gets in. The rest of the release arrives. C tries.
//
// Usually lost by: a release that reads the owner before it makes sure that no
// other client can change the lock.
// Source: deduced.
#include "race_more.h"

void lease_ends_mid_release(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    note(race, "A's work is done; after the first command its release is slow");
    enter(a);
    end_work(a);
    begin_leave(a);
    hold_later_command(a, 2);
    note(race, "the lease ends, and B gets in; the rest of A's release arrives");
    outlast_lease(race);
    enter(b);
    finish_on_any_connection(a);
    note(race, "C tries");
    enter(c);
}
