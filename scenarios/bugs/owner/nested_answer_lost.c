// Race: the answer to a nested call is lost, and nobody repeats it.
//
// A is inside. An inner function takes the lock again; the command runs, and
// its answer is lost. A does not repeat it. The outer function still has its
// lock, and must not hear that it is lost. A leaves as often as it was told
// that it is in. After that the lock must be free. B tries.
//
// Usually lost by: an acquire that counts what it has not heard, or makes
// the attempt again by itself and counts it twice.
// Source: deduced.
#include "race_more.h"

void nested_answer_lost(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    note(race, "A's nested call runs, and its answer is lost");
    begin_enter(a);
    run_command(a);
    lose_answer(a);
    must_believe(a);
    note(race, "A leaves as often as it was told that it is in; B tries");
    leave_if_inside(a);
    leave_if_inside(a);
    must_enter(b, "though A has left as often as it got in");
}
