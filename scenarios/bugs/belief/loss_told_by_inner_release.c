// Race: a loss told by an inner release is not believed.
//
// A is inside twice, and an operator removes its lock. Before A's watchdog can
// notice, A's inner function releases, and is told that the lock is lost. Does
// the outer function, which asks before it goes on, know it too?
//
// Usually lost by: a lock that keeps the holder's deadline when an inner
// release finds the lock gone.
// Source: found in this repository.
#include "race_more.h"

void loss_told_by_inner_release(struct race *race) {
    struct client *a = race_client(race, "A");

    note(race, "A is inside twice, and an operator removes its lock");
    enter(a);
    enter(a);
    need_two_entries(a);
    operate(race, "DEL KEY");
    note(race, "the inner function releases");
    need_two_entries(a);
    leave(a);
    note(race, "the outer function asks before it goes on");
    ask(a);
}
