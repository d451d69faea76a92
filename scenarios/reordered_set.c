// Race 6.4: an attempt arrives after its own release.
//
// A's attempt is slow on the wire and A gives up. To be safe it releases, on a
// new connection. Then the attempt lands, and takes a lock for somebody who
// has gone.
//
// Lost by: every lock: an attempt that nobody waits for any more is still an
// attempt.
// Source: deduced.
#include "race.h"

int main(int argc, char **argv) {
    struct race *race = race_open(argc, argv, "reordered_set");
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
    return race_close(race);
}
