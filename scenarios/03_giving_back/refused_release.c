// Race 3.12: the server refuses a release.
//
// A releases, and the server answers with an error: it takes no writes for a
// moment. The lock is still there, so A must not say that it has released it. A
// releases again, this time with success, and the lock must be free at once. B
// tries.
//
// Usually lost by: a release that takes any answer for success, or that forgets
// the token before it has heard that it succeeded.
// Source: node-redlock issue 11, where the server could not save and unlock
// failed in silence.
#include "race_more.h"

void refused_release(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    judge_strictly(race);
    note(race, "A releases, and the server refuses it");
    enter(a);
    begin_leave(a);
    hold_change(a);
    refuse_command(a);
    finish(a);
    note(race, "A releases again, and B tries");
    leave(a);
    must_enter(b, "though A's second release was not refused");
}
