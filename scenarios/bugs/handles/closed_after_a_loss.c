// Race: a handle is closed after its lock was lost.
//
// A's work is done, and its lease is over before it releases. B gets in. A does
// not release any more: it closes its handle and opens a new one. That must not
// touch B's lock. C tries.
//
// Usually lost by: a handle that releases when it is closed, and does not look
// whose lock that is.
// Source: deduced.
#include "race_more.h"

void closed_after_a_loss(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    note(race, "A's work is done, and A stands still until its lease is over");
    enter(a);
    end_work(a);
    stop(a);
    outlast_lease(race);
    note(race, "B gets in; A goes on, and closes its handle; C tries");
    enter(b);
    resume(a);
    reopen(a);
    enter(c);
}
