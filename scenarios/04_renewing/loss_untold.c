// Race 4.8: the holder is not told that its lock is gone.
//
// An operator deletes A's lock, and no other client takes it. A watchdog, if
// there is one, notices the loss within a third of a lease. Does A know?
//
// Usually lost by: a lock that does not tell its holder; a lock without a
// watchdog never looks.
// Source: Redisson issue 4698.
#include "race_more.h"

void loss_untold(struct race *race) {
    struct client *a = race_client(race, "A");

    enter(a);
    operate(race, "DEL KEY");
    advance(race, 11 * SECOND);
    note(race, "11 seconds later: does A know?");
    must_know_of_loss(a);
}
