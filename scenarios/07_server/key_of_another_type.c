// Race 7.7: under the lock's key stands something else.
//
// Another program uses the lock's key for a list. A tries. It may be told that
// the lock is taken, or that something is wrong. But it must not get in, and
// the list must stay as it is.
//
// Usually lost by: a lock that does not ask the server, and one that changes a
// key it has not made, or gives it a lease.
// Source: Redisson issue 5565, node-redlock issue 107.
#include "race_more.h"

void key_of_another_type(struct race *race) {
    struct client *a = race_client(race, "A");

    note(race, "A takes the lock and releases it");
    enter(a);
    leave(a);
    note(race, "then the key is something else");
    operate(race, "DEL KEY");
    operate(race, "LPUSH KEY precious");
    keep_key(race);
    note(race, "A tries");
    must_not_enter(a, "though the key is somebody else's");
    must_have_kept_key(race);
}
