// Race 3.13: a hold follows after one that was deleted.
//
// A is inside, and an operator deletes the lock. A releases, and hears that its
// lock is lost. Nobody has it. A takes it anew: that must succeed, and its
// release must make it free for B.
//
// Usually lost by: a client's flag that a release clears only if it succeeds.
// Source: spring-integration issue 1888, where a lease that is over leaves a
// mutex locked.
#include "race.h"

void hold_after_deletion(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A is inside; an operator deletes its lock, and A releases");
    enter(a);
    operate(race, "DEL KEY");
    leave(a);
    note(race, "A takes the lock anew, and releases; B tries");
    must_enter(a, "though nobody has the lock");
    leave(a);
    must_enter(b, "though nobody has the lock");
}
