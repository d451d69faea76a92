// Race: a failed attempt moves the holder's belief.
//
// A is inside. After 25 seconds it asks for the lock again. Then it loses its
// network. A second after the end of the lease that the server has, B tries. By
// then A must know that its lease is over. An attempt that was refused has
// given A no more time.
//
// Usually lost by: a deadline that every attempt sets.
// Source: deduced.
#include "race.h"

void failed_attempt_moves_belief(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A is inside, asks again, and loses its network");
    enter(a);
    advance(race, 25 * SECOND);
    enter(a);
    cut_off(a);
    note(race, "a second after the lease B tries");
    outlast_lease(race);
    enter(b);
}
