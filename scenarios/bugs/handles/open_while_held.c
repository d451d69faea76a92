// Race: a process opens the lock while it is held.
//
// A is inside. B starts, opens the lock and tries. To open a lock must change
// nothing on the server: B is refused.
//
// Usually lost by: an open that tidies up: it deletes what an earlier process
// may have left. In a database also by one that writes, and has to wait until
// the holder's transaction ends.
// Source: deduced.
#include "race.h"

void open_while_held(struct race *race) {
    struct client *a = race_client(race, "A");

    note(race, "A is inside, and B starts");
    enter(a);
    struct client *b = race_client(race, "B");
    must_not_enter(b, "while A is inside");
}
