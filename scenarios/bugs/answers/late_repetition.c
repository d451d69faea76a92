// Race: an attempt without an answer is repeated late.
//
// A's command to take the lock runs, and its answer is lost. A repeats the
// attempt 25 seconds later. If it gets in now, its lease begins now. Six
// seconds later B tries.
//
// Usually lost by: an attempt that finds its own lock, counts its lease from
// now, and does not give the lock that lease.
// Source: deduced.
#include "race_more.h"

void late_repetition(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A's attempt runs, its answer is lost, and A repeats it late");
    begin_enter(a);
    hold_change(a);
    run_command(a);
    lose_answer(a);
    need_outside(a);
    advance(race, 25 * SECOND);
    enter_if_outside(a);
    note(race, "a second after the first lease B tries");
    advance(race, 6 * SECOND);
    enter(b);
}
