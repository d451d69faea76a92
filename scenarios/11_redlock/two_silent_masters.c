// Race 11.12: two of five masters say nothing.
//
// A gets the lock from five masters, with a lease of two seconds, and releases.
// Then the first two hang: they take commands and never answer. B waits for
// each of them as long as it waits for any. The three others are a majority.
// They grant the lock, and B must be in.
//
// Usually lost by: a time-out for each server that is too long for the lease.
// The silent servers then use it up.
// Source: the Redis documentation on distributed locks, which asks for
// time-outs much shorter than the lease.
#include "race_more.h"

void two_silent_masters(struct race *race) {
    set_lease(race, 2 * SECOND);
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    struct server *first = race_server(race, 1);
    struct server *second = race_server(race, 2);

    need_masters(race, 5);
    note(race, "A gets in, and releases; then two of the five masters hang");
    enter(a);
    leave(a);
    stop_server(first);
    stop_server(second);
    note(race, "B tries, and waits in vain for their answers");
    begin_enter(b);
    finish_in_spite_of_silence(b);
    must_have_got_in(b, "though three masters have granted it the lock");
}
