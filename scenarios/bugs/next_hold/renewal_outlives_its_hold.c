// Race: a renewal outlives its hold.
//
// A loses its network for longer than its lease, and knows that its lock is
// lost. The network is back, and A's next renewal is slow. Meanwhile A takes
// the lock anew. Now the renewal runs. It finds no lock of the last hold. That
// says nothing about the new one. (Who believes it gives up a good lock: a
// false alarm, and no second holder.)
//
// Usually lost by: a new hold that begins while an old renewal is under way,
// and believes what that one is told.
// Source: deduced.
#include "race_more.h"

void renewal_outlives_its_hold(struct race *race) {
    struct client *a = race_client(race, "A");

    note(race, "A loses its network for longer than its lease");
    enter(a);
    cut_off(a);
    outlast_lease(race);
    ask(a);
    note(race, "it is back; A's next renewal is slow, and A tries again");
    reconnect(a);
    begin_renewal(a);
    enter(a);
    need_no_wait(a);
    note(race, "the renewal runs; does A still believe in its new lock?");
    finish(a);
    must_believe(a);
}
