// Race: a release is lost for good.
//
// A releases. The command is lost before it has run, and then A cannot reach
// the server at all. A releases again. The lock is still there, and A cannot
// know more than that it heard nothing. It must not say "ok".
//
// Usually lost by: a release that takes silence for success.
// Source: deduced.
#include "race_more.h"

void release_lost_for_good(struct race *race) {
    struct client *a = race_client(race, "A");

    judge_strictly(race);
    note(race, "A releases, and the command is lost before it has run");
    enter(a);
    begin_leave(a);
    hold_change(a);
    lose_command(a);
    note(race, "A releases again and cannot reach the server");
    cut_off(a);
    leave(a);
}
