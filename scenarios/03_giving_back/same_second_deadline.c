// Race 3.6: two deadlines are the same second.
//
// A's release runs and its answer is lost. Within the same second B takes the
// lock: its deadline is the same number as A's was. A releases again. If the
// release recognises A's lock by its deadline, it takes B's lock for A's.
//
// Usually lost by: a release that knows its lock by a deadline in seconds, or
// not at all.
// Source: hiredis-locker.
#include "race.h"

void same_second_deadline(struct race *race) {
    struct client *z = race_client(race, "Z");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    need_exact_instants(race);
    note(race, "Z shows how many commands a release takes, its second one");
    enter(z);
    leave(z);
    enter(z);
    int commands = leave(z);
    note(race, "A's release runs, and the answer is lost with the connection");
    enter(a);
    begin_leave(a);
    hold_answer(a, commands);
    lose_answer(a);
    note(race, "in the same second B takes the lock");
    enter(b);
    note(race, "A releases again");
    leave(a);
    note(race, "C tries while B is inside");
    enter(c);
}
