// Race 9.3: the signal is gone before the waiter asks for it.
//
// B's attempt is refused. Then B is slow: two seconds pass before its next
// command reaches the server. Meanwhile A releases, and any signal that it left
// for a waiter has ended. B must get in all the same.
//
// Usually lost by: a signal that ends by itself, or is deleted, before the
// waiter takes it.
// Source: python-redis-lock issue 71.
#include "race_more.h"

void signal_erased(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    note(race, "B's attempt is refused; what it does next is delayed");
    begin_wait(b, MINUTE);
    pass_command(b);
    note(race, "A releases, and two seconds pass");
    leave(a);
    advance(race, 2 * SECOND);
    note(race, "B goes on");
    finish(b);
    advance(race, SECOND);
    must_have_got_in(b, "though the lock has been free for three seconds");
}
