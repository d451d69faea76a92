// Race 2.5: a write of the last holder lands in the middle of the next.
//
// A writes to what the lock protects. The write leaves in time and is slow on
// the wire; A's patience ends, and it releases. B gets in and writes. Then A's
// write lands. No lock can call it back: only the resource could refuse it.
//
// Lost by: every lock whose resource accepts what comes too late.
// Source: Kleppmann, How to do distributed locking.
#include "race.h"

int main(int argc, char **argv) {
    struct race *race = race_open(argc, argv, "delayed_write");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A writes; the write is slow, and A gives up waiting for its answer");
    enter(a);
    begin_write(a);
    give_up(a);
    leave(a);
    note(race, "B gets in and writes");
    enter(b);
    write_resource(b);
    note(race, "A's write lands");
    land(a);
    return race_close(race);
}
