// Race 10.4: the number of a hold is asked for after the lock was taken.
//
// A gets the lock. Its next command, for the number of its hold, is slow on the
// wire, and A is stopped. The lease runs out, B gets in and writes under its
// number. Then A's command arrives: it is counted after B's, so A's hold, which
// is the older one, gets the higher number. A goes on and writes. In this race
// only writes count.
//
// Usually lost by: a lock that is taken by one command and numbered by another.
// Source: deduced; replayed here.
#include "race_more.h"

void token_outside_acquire(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    judge_by_writes(race);
    note(race, "A gets the lock; its next command is slow, and A is stopped");
    begin_enter(a);
    hold_later_command(a, 2);
    stop(a);
    advance(race, LEASE + SECOND);
    note(race, "a second after the lease B gets in and writes");
    enter(b);
    write_if_inside(b);
    note(race, "A's command arrives; A goes on and writes");
    run_command(a);
    resume(a);
    finish(a);
    write_if_inside(a);
    note(race, "B writes once more");
    write_if_inside(b);
}
