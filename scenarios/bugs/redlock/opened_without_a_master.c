// Race: a client is opened while one master is down.
//
// A has held the lock and released it. One of five masters is down. A was
// stopped for an update, and opens the lock anew. It can reach four masters,
// and that is enough.
//
// Usually lost by: a handle that needs an answer of every master when it is
// opened.
// Source: deduced.
#include "race_more.h"

void opened_without_a_master(struct race *race) {
    struct client *a = race_client(race, "A");

    struct server *fifth = race_server(race, 5);

    enter(a);
    leave(a);
    note(race, "one of five masters is down, and A opens the lock anew");
    crash_server(fifth);
    reopen(a);
    must_enter(a, "though four of five masters answer");
}
