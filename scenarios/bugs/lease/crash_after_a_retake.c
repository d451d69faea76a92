// Race: the holder dies after a retake of its lost lock.
//
// A stands still for longer than its lease. When it goes on, its watchdog finds
// no lock. There are watchdogs that take it anew then. A second later A dies.
// Two leases later B must get in.
//
// Usually lost by: a lock that a renewal has made, with another lease than the
// acquire gives it, or none.
// Source: deduced.
#include "race.h"

void crash_after_a_retake(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A stands still for longer than its lease, goes on, and dies");
    enter(a);
    renew(a);
    stop(a);
    outlast_lease(race);
    resume(a);
    crash(a);
    note(race, "two leases later B tries");
    advance(race, 2 * LEASE + SECOND);
    must_enter(b, "two leases after A died");
}
