// Race: a release is unheard by most of the masters.
//
// A gets the lock on the first four of five masters. When it releases, it
// reaches only the last two of the five. So three masters still have its key,
// and A has heard nothing of them. When the network is back, A releases once
// more, if it knows that this is needed. Then B must get in: "ok" to a release
// means that a majority is free.
//
// Usually lost by: a release that counts a silent master as one without the
// lock.
// Source: deduced.
#include "race_more.h"

void redlock_release_unheard(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct server *first = race_server(race, 1);
    struct server *second = race_server(race, 2);
    struct server *third = race_server(race, 3);
    struct server *fifth = race_server(race, 5);

    note(race, "A gets the lock on four of five masters");
    cut_off_from(a, fifth);
    enter(a);
    note(race, "A releases while it reaches only the last two masters");
    reconnect_to(a, fifth);
    cut_off_from(a, first);
    cut_off_from(a, second);
    cut_off_from(a, third);
    leave(a);
    note(race, "A's network is back; A repeats what it may have to repeat");
    reconnect_to(a, first);
    reconnect_to(a, second);
    reconnect_to(a, third);
    leave_if_unsure(a);
    must_enter(b, "though A has released as often as it was asked to");
}
