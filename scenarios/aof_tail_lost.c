// Race 7.2: the last second before a power failure is lost.
//
// The server writes its append-only file and has it on the disk once a second.
// A takes the lock, and the power fails before the second is over. When the
// server is back it has never heard of A. B tries.
//
// Lost by: every lock on one server that answers before it has written.
// Source: the Redis documentation on persistence.
#include "race.h"

int main(int argc, char **argv) {
    struct race *race = race_open_with(argc, argv, "aof_tail_lost",
                                       "--appendonly yes --appendfsync everysec");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    sync_disk(race);
    note(race, "A takes the lock; within the same second the power fails");
    enter(a);
    lose_power(race);
    note(race, "B tries while A is inside");
    enter(b);
    return race_close(race);
}
