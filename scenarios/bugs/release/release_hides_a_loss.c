// Race: a release hides that the lock was lost.
//
// A is inside, and an operator removes its lock. A releases before it can
// have noticed. The release ends nothing, and A must be told that its lock
// was lost: somebody else can have been inside.
//
// Usually lost by: a release for which gone is gone.
// Source: deduced.
#include "race_more.h"

void release_hides_a_loss(struct race *race) {
    struct client *a = race_client(race, "A");

    enter(a);
    note(race, "an operator removes A's lock, and A releases");
    operate(race, "DEL KEY");
    leave(a);
    must_hear_lost(a);
}
