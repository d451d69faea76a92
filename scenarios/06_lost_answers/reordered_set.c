// Race 6.4: an attempt arrives after its own release.
//
// A's attempt is slow on the wire, and A gives up. To be safe it releases, on a
// new connection. Then the attempt reaches the server and takes the lock, for a
// client that no longer waits for it. B tries.
//
// Usually lost by: every lock: the server still runs an attempt that nobody
// waits for any more.
// Source: deduced from Kleppmann's delayed packet, here for the attempt.
#include "race.h"

void reordered_set(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A's attempt is slow; A gives up, and releases to be safe");
    begin_enter(a);
    hold_change(a);
    give_up(a);
    leave(a);
    note(race, "the attempt lands");
    land(a);
    note(race, "B tries");
    must_enter(b, "though A has given up and nobody is inside");
}
