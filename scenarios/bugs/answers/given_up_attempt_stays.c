// Race: the lock of an attempt that was given up stays.
//
// A tries to take the lock. The command runs, and its answer is lost. A does
// not know whether it has the lock, gives up its plan, and releases to be sure.
// It needs the lock no more. A lease and a second later B tries.
//
// Usually lost by: an acquire that starts the watchdog before the answer, and a
// release that does not stop it, because it knows of no hold.
// Source: deduced.
#include "race.h"

void given_up_attempt_stays(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A's attempt runs, and the answer is lost");
    begin_enter(a);
    hold_change(a);
    run_command(a);
    lose_answer(a);
    note(race, "A gives up its plan and releases, to be sure");
    leave(a);
    note(race, "a lease and a second later B tries");
    advance(race, LEASE + SECOND);
    must_enter(b, "a lease and a second after A gave up");
}
