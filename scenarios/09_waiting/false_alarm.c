// Race 9.9: a message says that the lock is free, and it is not.
//
// B waits. Somebody sends a message on the lock's channel, and a signal into
// its list, but A is still inside. B must not get in by that. After it, A's
// release must still reach B.
//
// Usually lost by: a waiter that takes the message for the lock, or that stops
// waiting after it.
// Source: spring-integration pull request 3702, where a waiter gave up after a
// message.
#include "race.h"

void false_alarm(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    wait_for_lock(b, MINUTE);
    note(race, "somebody says that the lock is free, and it is not");
    operate(race, "PUBLISH KEY free");
    operate(race, "LPUSH KEY:signal free");
    advance(race, SECOND);
    note(race, "A releases");
    leave(a);
    advance(race, SECOND);
    must_have_got_in(b, "a second after A has released");
}
