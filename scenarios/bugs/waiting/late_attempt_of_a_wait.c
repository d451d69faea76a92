// Race: the first attempt of a wait arrives late.
//
// B is inside. A is ready to wait five seconds. Its first attempt is slow on
// the wire: A hears nothing and gives up on it. If A goes on to wait, and is
// told "busy" in the end, then nothing may be left behind. B releases, and the
// first attempt arrives. C must get in.
//
// Usually lost by: a loop that goes on after an attempt without an answer.
// Source: deduced.
#include "race_more.h"

void late_attempt_of_a_wait(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    note(race, "A waits while B is inside; its first attempt is slow");
    enter(b);
    begin_wait(a, 5 * SECOND);
    give_up(a);
    note(race, "six seconds later B releases, and A's attempt arrives");
    advance(race, 6 * SECOND);
    need_busy(a);
    leave(b);
    land(a);
    note(race, "C tries");
    must_enter(c, "though B has released and A was told \"busy\"");
}
