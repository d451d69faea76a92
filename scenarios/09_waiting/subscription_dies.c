// Race 9.5: the connection breaks on which a waiter listens.
//
// B waits, and listens for the message that the lock is free. That connection
// breaks; B's others are fine. Then A releases. The message goes to nobody. B
// must have noticed the break, and must get in.
//
// Usually lost by: a waiter that does not subscribe again, or does not try
// again after that.
// Source: Redisson issue 2921.
#include "race_more.h"

void subscription_dies(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    wait_for_lock(b, MINUTE);
    note(race, "the connection breaks on which B listens");
    lose_subscription(b);
    note(race, "A releases");
    leave(a);
    advance(race, SECOND);
    must_have_got_in(b, "a second after A has released");
}
