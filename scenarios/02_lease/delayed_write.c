// Race 2.5: a write of the last holder lands in the middle of the next.
//
// A writes to what the lock protects. It sends the write in time, but the write
// is slow on the wire. A gives up waiting for the answer, and releases. B gets
// in and writes. Then A's write reaches the resource. No lock can prevent that;
// only the resource could refuse the write.
//
// Usually lost by: every lock whose resource accepts a write that comes too
// late.
// Source: Kleppmann, How to do distributed locking.
#include "race_more.h"

void delayed_write(struct race *race) {
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
}
