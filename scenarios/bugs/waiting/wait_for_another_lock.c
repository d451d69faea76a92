// Race: a client that has waited for one lock waits for another.
//
// B has both locks. A waits for the second one for a second, in vain. Then A
// waits for the first one, and B releases that. A must hear of this release,
// and not only of those of the lock for which it waited before.
//
// Usually lost by: a subscription that is kept for the next wait, and belongs
// to the lock of the first one.
// Source: deduced.
#include "race_more.h"

void wait_for_another_lock(struct race *race) {
    struct client *a = race_client_of_two(race, "A");
    struct client *b = race_client_of_two(race, "B");
    struct client *a2 = second_lock_of(a);
    struct client *b2 = second_lock_of(b);

    enter(a);
    leave(a);
    note(race, "B has both locks; A waits for the second, in vain");
    enter(b);
    enter(b2);
    wait_for_lock(a2, SECOND);
    advance(race, 2 * SECOND);
    need_no_wait(a);
    note(race, "A waits for the first lock, and B releases that");
    wait_for_lock(a, MINUTE);
    leave(b);
    advance(race, SECOND);
    must_have_got_in(a, "a second after B has released");
}
