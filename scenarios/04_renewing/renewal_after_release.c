// Race 4.6: a renewal is on the wire while its holder releases.
//
// A's renewal is slow on the wire when A has done its work and releases. The
// renewal may reach the server before the release or after it. But it must not
// make the lock again: B must get in.
//
// Usually lost by: a watchdog that is not stopped before the lock is released,
// and whose renewal makes the key anew if it is gone.
// Source: Redisson issue 7272, redis-semaphore issue 205.
#include "race.h"

void renewal_after_release(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A's renewal is slow on the wire, and A releases");
    enter(a);
    begin_renewal(a);
    leave(a);
    note(race, "the renewal lands");
    finish(a);
    note(race, "B tries");
    must_enter(b, "though A has released");
}
