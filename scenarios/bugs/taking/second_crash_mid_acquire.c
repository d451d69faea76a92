// Race: two clients die while they acquire, one after the other.
//
// A takes the lock, B tries in vain, and A releases. Then A tries again: its
// first command runs, and A dies before it hears of it. B tries, and an hour
// later it may get in, and then it releases. The same happens to C. B tries
// again, with the same handle. It must do the same as the first time: an hour
// later it must get in.
//
// Usually lost by: a lock that has no lease yet when its holder dies. Or its
// losers give it a lease only once, or only if they have never seen a lock with
// one.
// Source: deduced.
#include "race.h"

// The client's first command runs, and it dies. B tries, and an hour passes.
static void die_in_an_attempt(struct race *race, struct client *client,
                              struct client *b) {
    begin_enter(client);
    run_command(client);
    crash(client);
    enter(b);
    leave_if_inside(b);
    advance(race, HOUR);
}

void second_crash_mid_acquire(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    enter(a);
    enter(b);
    leave(a);
    note(race, "A's first command runs, and A dies; B tries");
    die_in_an_attempt(race, a, b);
    note(race, "an hour later B tries; if it gets in, it releases");
    enter(b);
    leave_if_inside(b);
    note(race, "C's first command runs, and C dies; B tries");
    die_in_an_attempt(race, c, b);
    note(race, "an hour later B tries again");
    must_enter(b, "an hour after C died");
}
