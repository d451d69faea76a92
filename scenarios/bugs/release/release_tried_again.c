// Race: a release is tried again by the lock itself.
//
// A's release runs, and its answer is lost. The code of A's lock tries again by
// itself, and this second command is slow on the wire. B takes the lock. Then
// the command reaches the server and must leave B's lock alone. C tries.
//
// Usually lost by: a release that falls back on a plain DEL when its script
// gets no answer.
// Source: deduced.
#include "race_more.h"

void release_tried_again(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    need_exact_instants(race);
    note(race, "A's release runs, and the answer is lost");
    enter(a);
    begin_leave(a);
    hold_change(a);
    run_command(a);
    note(race, "A's lock tries again; that is slow, and B takes the lock");
    lose_answer_before_retry(a);
    enter(b);
    note(race, "A's command lands");
    finish(a);
    note(race, "C tries while B is inside");
    enter(c);
}
