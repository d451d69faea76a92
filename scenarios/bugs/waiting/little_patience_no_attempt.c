// Race: a client with little patience makes no attempt.
//
// B has taken the lock and released it. A is ready to wait ten milliseconds for
// it. It does not have to wait at all: it gets in with its first attempt. Then
// B is ready to wait for one millisecond, and gets in, too.
//
// Usually lost by: a loop that makes an attempt only if there is time for
// another one.
// Source: deduced.
#include "race.h"

void little_patience_no_attempt(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    enter(b);
    leave(b);
    note(race, "A has ten milliseconds for a lock that is free");
    wait_for_lock(a, 10 * MILLISECOND);
    advance(race, SECOND);
    must_have_got_in(a, "though the lock is free");
    leave(a);
    note(race, "A has released; B has a millisecond");
    wait_for_lock(b, MILLISECOND);
    advance(race, SECOND);
    must_have_got_in(b, "though the lock is free");
    leave(b);
}
