// Race 9.7: one release wakes everybody who waits.
//
// A is inside, and four clients wait. A releases. One of them can get in, so
// one of them should be woken. If all four are, three of them send commands to
// the server for nothing, at the worst moment. With a thousand that wait it is
// 999.
//
// Usually lost by: a message to everybody, and asking again and again.
// Source: the recipe for locks in ZooKeeper's documentation, which calls it the
// herd effect.
#include "race_more.h"

void thundering_herd(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");
    struct client *d = race_client(race, "D");
    struct client *e = race_client(race, "E");

    enter(a);
    wait_for_lock(b, MINUTE);
    wait_for_lock(c, MINUTE);
    wait_for_lock(d, MINUTE);
    wait_for_lock(e, MINUTE);
    note(race, "A releases: one of the four can get in");
    wake_one(race);
    leave(a);
    advance(race, 100 * MILLISECOND);
}
