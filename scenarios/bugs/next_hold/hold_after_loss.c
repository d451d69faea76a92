// Race: a hold follows after a loss.
//
// A is inside twice, and an operator deletes the lock. A's release is told so.
// A takes the lock anew, and releases it once, because it is inside once. B
// tries.
//
// Usually lost by: a count that outlives its hold.
// Source: deduced.
#include "race_more.h"

void hold_after_loss(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A is inside twice, and an operator deletes its lock");
    enter(a);
    enter(a);
    operate(race, "DEL KEY");
    note(race, "A releases and hears of it; then it takes the lock anew");
    need_two_entries(a);
    leave(a);
    must_enter(a, "though nobody has the lock");
    note(race, "A releases once, and B tries");
    leave(a);
    must_enter(b, "though A has left as often as it got in since then");
}
