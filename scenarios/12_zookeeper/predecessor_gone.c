// Race 12.1: whoever is in front of a waiter leaves the queue.
//
// A is inside, B waits, and C lines up behind B: C has read the queue, and its
// next command is delayed. Meanwhile B gives up. B was in front of C, but did
// not have the lock. So C must not get in as long as A is inside. When A
// releases, C must get in, although the client that C meant to watch is gone.
//
// Usually lost by: a queue in which a waiter takes the end of its predecessor
// for its own turn, and does not look again.
// Source: Helix pull request 44.
#include "race_more.h"

void predecessor_gone(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    enter(a);
    note(race, "B waits for a second; C looks who is there, and is slow then");
    wait_for_lock(b, SECOND);
    begin_wait(c, MINUTE);
    pass_first_read(c);
    note(race, "B gives up, and C goes on");
    advance(race, 2 * SECOND);
    finish(c);
    leave(a);
    advance(race, SECOND);
    must_have_got_in(c, "a second after A has released");
}
