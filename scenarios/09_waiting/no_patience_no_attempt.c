// Race 9.12: a client without patience makes no attempt.
//
// A has held the lock and released it. Now it asks with a patience of no time
// at all. Nobody has the lock, so the one attempt that this allows must let A
// in. B does the same while A is inside: it must not get in, and not wait. A
// releases, and B asks again.
//
// Usually lost by: a wait that looks at its patience before its first attempt.
// Source: redis-objects pull request 171.
#include "race_more.h"

void no_patience_no_attempt(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    leave(a);
    note(race, "A asks for a free lock, and has no time to wait");
    wait_for_lock(a, 0);
    must_have_got_in(a, "though nobody has the lock");
    note(race, "B does the same while A is inside, and when A has released");
    wait_for_lock(b, 0);
    must_have_given_up(b, "while A is inside");
    leave(a);
    wait_for_lock(b, 0);
    must_have_got_in(b, "though A has released");
}
