// Race: the holder's machine is suspended for longer than the lease.
//
// A is inside, and somebody closes the lid of its machine. There, time stands
// still on one clock, CLOCK_MONOTONIC, and goes on on another one,
// CLOCK_BOOTTIME. When the machine goes on, its network is not there yet. So A
// has to know by itself that its lease is over. Then B tries.
//
// Usually lost by: every lock with a lease whose holder has no deadline of its
// own, or has noted it on CLOCK_MONOTONIC.
// Source: deduced.
#include "race_more.h"

void machine_suspended(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    enter(a);
    note(race, "A's machine is suspended, for longer than a lease");
    suspend(a);
    advance(race, LEASE + SECOND);
    note(race, "the machine goes on, without its network: does A know?");
    cut_off(a);
    resume(a);
    ask(a);
    note(race, "B tries");
    enter(b);
}
