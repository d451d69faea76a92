// Race: a waiter gets the signal of another lock.
//
// A uses two locks and has both. C, who uses both as well, waits for the second
// lock, and then B for the first one. A releases the first. B must get in,
// although C has waited for longer: for another lock.
//
// Usually lost by: one signal for all locks, that wakes one waiter.
// Source: deduced.
#include "race_more.h"

void signal_of_another_lock(struct race *race) {
    struct client *a = race_client_of_two(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client_of_two(race, "C");
    struct client *a2 = second_lock_of(a);
    struct client *c2 = second_lock_of(c);

    note(race, "A has two locks; C waits for the second, then B for the first");
    enter(a);
    enter(a2);
    wait_for_lock(c2, MINUTE);
    wait_for_lock(b, MINUTE);
    note(race, "A releases the first");
    leave(a);
    advance(race, SECOND);
    must_have_got_in(b, "a second after A has released its lock");
}
