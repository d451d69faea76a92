// Race: the lock is released before a waiter subscribes again.
//
// B waits. It listens on a connection for the message that the lock is free.
// That connection breaks. B's next command comes through: if it is an attempt,
// it finds the lock held. Then A releases, before B sends anything more. If B
// does not listen again yet, the message goes to nobody, and no other will
// come. B's commands after that come through as well. B must get in within a
// second.
//
// Usually lost by: a waiter that tries once more, subscribes again, and then
// goes on sleeping. It has to try after it has subscribed.
// Source: deduced.
#include "race_more.h"

void released_before_subscribing(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    wait_for_lock(b, MINUTE);
    note(race, "B's subscription breaks; B's next command comes through");
    break_subscription(b);
    pass_command_if_any(b);
    note(race, "A releases before B sends anything more");
    leave(a);
    finish(b);
    advance(race, SECOND);
    must_have_got_in(b, "a second after A has released");
}
