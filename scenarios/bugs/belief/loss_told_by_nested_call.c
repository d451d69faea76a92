// Race: a loss told by a nested call is not believed.
//
// A is inside twice, and an operator removes its lock. Before A's watchdog can
// notice, A calls one more function, which takes the lock too. The attempt
// fails, and A must be told that its lock is lost. Does the outer function,
// which asks before it goes on, know it too? The watchdog would only tell it
// at the next renewal, and until then somebody else can get in.
//
// Usually lost by: a lock that keeps the holder's deadline when a nested
// attempt finds the lock gone.
// Source: found in this repository.
#include "race_more.h"

void loss_told_by_nested_call(struct race *race) {
    struct client *a = race_client(race, "A");

    note(race, "A is inside twice, and an operator removes its lock");
    enter(a);
    enter(a);
    need_two_entries(a);
    operate(race, "DEL KEY");
    note(race, "an inner function of A takes the lock once more");
    enter(a);
    note(race, "the outer function asks before it goes on");
    ask(a);
}
