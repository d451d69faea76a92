// Race 3.9: an operator deletes the lock of a client that still works.
//
// The lock looks as if its holder were dead, and an operator deletes the key by
// hand. But A was only slow. B gets in and writes. Then A asks itself whether
// it still holds the lock and, unless it knows that the lock is lost, writes.
// In this race only writes count.
//
// Usually lost by: every lock: anybody who may delete the key can end it.
// Source: Redisson's forceUnlock.
#include "race.h"

void forced_unlock(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    judge_by_writes(race);
    enter(a);
    note(race, "an operator deletes the key");
    operate(race, "DEL KEY");
    note(race, "B gets in while A is inside, and writes");
    enter(b);
    write_if_inside(b);
    note(race, "A goes on with its work");
    ask(a);
    write_if_inside(a);
}
