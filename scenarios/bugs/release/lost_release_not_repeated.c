// Race: a release that was lost is not repeated.
//
// A releases, and the command is lost before it has run. A has heard
// nothing, and does not repeat it: its caller has given up. Then the lease
// must end the lock. A lease and a second later B tries.
//
// Usually lost by: a lock without a lease, and a client that goes on
// renewing because it does not know whether it has released.
// Source: deduced.
#include "race.h"

void lost_release_not_repeated(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    note(race, "A's release is lost, and A does not repeat it");
    begin_leave(a);
    hold_change(a);
    lose_command(a);
    advance(race, LEASE + SECOND);
    note(race, "a lease and a second later B tries");
    must_enter(b, "a lease and a second after A gave up");
}
