// Race 9.1: the lock is released between a waiter's attempt and its sleep.
//
// B tries, and the lock is taken. Before B does the next thing, A releases. If
// the release sends a message, nobody hears it. B must find the lock all the
// same: it has been free since before B went to sleep.
//
// Usually lost by: a waiter that subscribes and sleeps, without a second
// attempt in between.
// Source: Redisson issue 89.
#include "race_more.h"

void lost_wakeup(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    note(race, "B's attempt is refused; what it does next is delayed");
    begin_wait(b, MINUTE);
    pass_command(b);
    note(race, "A releases, and nobody is there to be told");
    leave(a);
    finish(b);
    advance(race, SECOND);
    must_have_got_in(b, "a second after A has released");
}
