// Race: a hold has no number after a lost answer.
//
// B takes the lock, writes and releases it. Then A takes the lock, and the
// answer is lost with the connection. A tries again. If A is told that it has
// the lock, its write must be accepted. In this race only writes count.
//
// Usually lost by: a number that only the first command gets, the one that made
// the lock.
// Source: deduced.
#include "race.h"

void number_after_lost_answer(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    judge_by_writes(race);
    note(race, "B takes the lock, writes and leaves");
    enter(b);
    write_resource(b);
    leave(b);
    note(race, "A's command runs, and the answer is lost with the connection");
    begin_enter(a);
    hold_change(a);
    run_command(a);
    lose_answer(a);
    note(race, "A tries again, and writes if it is let in");
    enter(a);
    write_if_inside(a);
}
