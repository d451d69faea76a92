// Race: a message comes, and the patience begins anew.
//
// B waits for five seconds. After three a message comes, and the lock is not
// free. B sleeps again: for two seconds, not for five. When A releases in the
// seventh second, B must have given up. Its caller has gone on to something
// else, and nobody would release what B gets now.
//
// Usually lost by: a waiter that gives its whole patience to each sleep.
// Source: deduced; in Redisson issue 5002 patience is counted wrongly in
// another way.
#include "race_more.h"

void patience_begins_anew(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    wait_for_lock(b, 5 * SECOND);
    advance(race, 3 * SECOND);
    note(race, "somebody says that the lock is free, and it is not");
    operate(race, "PUBLISH KEY free");
    operate(race, "LPUSH KEY:signal free");
    advance(race, 4 * SECOND);
    note(race, "B's patience is over; A releases");
    leave(a);
    advance(race, SECOND);
    must_have_given_up(b, "though its patience was over before");
}
