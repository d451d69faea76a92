// Race: the lock is released while a waiter subscribes again.
//
// B waits. The connection breaks on which it listens for the message. B's next
// command is slow on the wire. Meanwhile A releases, and the message goes to
// nobody. When B's command has come through, the lock is free, and no other
// message will come. B must get in.
//
// Usually lost by: a waiter that renews its subscription and goes on sleeping,
// without another attempt.
// Source: deduced.
#include "race_more.h"

void released_while_subscribing(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    wait_for_lock(b, MINUTE);
    note(race, "B's subscription breaks; what B sends next is delayed");
    break_subscription(b);
    note(race, "A releases, and nobody is there to be told");
    leave(a);
    finish(b);
    advance(race, SECOND);
    must_have_got_in(b, "a second after A has released");
}
