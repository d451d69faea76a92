// Race: a lock is closed while a renewal is under way.
//
// A's watchdog renews, and that is slow. Meanwhile A closes the lock, without
// releasing it, and opens it anew. The renewal goes on to its end. A lease
// later A takes the lock as everybody else.
//
// Usually lost by: a connection that is closed while another thread still uses
// it.
// Source: deduced.
#include "race_more.h"

void closed_during_a_renewal(struct race *race) {
    struct client *a = race_client(race, "A");

    note(race, "A's renewal is slow, and A closes the lock and opens it anew");
    enter(a);
    begin_renewal(a);
    reopen(a);
    note(race, "the renewal goes on; a lease later A tries");
    finish(a);
    advance(race, LEASE + SECOND);
    must_enter(a, "though nobody is inside");
}
