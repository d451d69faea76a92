// Race: a hold follows after a long pause.
//
// A and B have been up for minutes when A takes the lock for the first time. It
// releases, does something else for minutes, and takes the lock again. Each
// hold is as good as one that begins at once: half a lease later A still has
// its lock and knows it, and B is refused.
//
// Usually lost by: a deadline that is made once and not for each hold; a time
// that is remembered from the start of the process.
// Source: deduced.
#include "race_more.h"

void hold_after_a_pause(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "minutes after its start A takes the lock, and B tries");
    advance(race, 2 * MINUTE);
    enter(a);
    advance(race, LEASE / 2);
    must_believe(a);
    must_not_enter(b, "half a lease after A got in");
    note(race, "A releases; minutes later it takes the lock again, and B tries");
    leave(a);
    advance(race, 2 * MINUTE);
    enter(a);
    advance(race, LEASE / 2);
    must_believe(a);
    must_not_enter(b, "half a lease after A got in again");
}
