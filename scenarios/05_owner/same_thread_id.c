// Race 5.5: two hosts have the same thread id.
//
// A and B run on two hosts, and each is thread 1 of its process. A is stopped
// when its work is done, and its lease runs out. B gets in. A goes on and
// releases. If the lock knows its owner only as "thread 1", A releases B's
// lock, and C gets in while B is inside.
//
// Usually lost by: a lock whose owner's name is not unique among all clients,
// and one that does not know its owner.
// Source: Redisson issue 4724.
#include "race.h"

void same_thread_id(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    enter(a);
    end_work(a);
    note(race, "A is done, and is stopped before it can release");
    stop(a);
    advance(race, LEASE + SECOND);
    note(race, "a lease and a second later B takes the lock");
    enter(b);
    note(race, "A goes on and releases");
    resume(a);
    leave(a);
    note(race, "C tries while B is inside");
    enter(c);
}
