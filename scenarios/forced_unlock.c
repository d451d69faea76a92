// Race 3.9: an operator deletes the lock of a client that still works.
//
// The lock looks as if its holder were dead, and an operator deletes the key by
// hand. But A was only slow. B tries.
//
// Usually lost by: every lock: anybody who may delete the key can end it.
// Source: Redisson's forceUnlock.
#include "race.h"

int main(int argc, char **argv) {
    struct race *race = race_open(argc, argv, "forced_unlock");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    note(race, "an operator deletes the key");
    operate(race, "DEL KEY");
    note(race, "B tries while A is inside");
    enter(b);
    return race_close(race);
}
