// Race 2.3: the last millisecond of a lease.
//
// A's work is done and it does not release. B tries at exactly the end of the
// lease and a millisecond later. A key with 30,000 ms to live is still there
// after 30,000 ms.
//
// Lost by: none; it shows where the boundary is.
// Source: the source of Redis: a key has expired when the time is greater than
// its end.
#include "race.h"

int main(int argc, char **argv) {
    struct race *race = race_open(argc, argv, "expiry_boundary");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    end_work(a);
    advance(race, LEASE);
    note(race, "exactly at the end of the lease B tries");
    enter(b);
    leave_if_inside(b);
    advance(race, MILLISECOND);
    note(race, "a millisecond later B tries again");
    enter(b);
    return race_close(race);
}
