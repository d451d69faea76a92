// Race: the second answer of an attempt is lost.
//
// A needs more than one command to get in. The answer to the second one is
// lost, so A does not know whether it is inside. It tries again. If it is
// inside then, it leaves. A lease later B tries.
//
// Usually lost by: an attempt that leaves something behind when it fails late:
// a place in a queue, or a count.
// Source: deduced.
#include "race_more.h"

void second_answer_lost(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "the answer to A's second command is lost");
    begin_enter(a);
    hold_answer(a, 2);
    lose_answer(a);
    note(race, "A tries again, and leaves; a lease later B tries");
    enter_if_outside(a);
    leave_if_inside(a);
    advance(race, LEASE + SECOND);
    must_enter(b, "a lease and a second later, though A has left");
}
