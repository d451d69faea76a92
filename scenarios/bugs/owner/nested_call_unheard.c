// Race: a nested call that was unheard is made again.
//
// A is inside, and B waits. A's connection breaks and can be made again. A's
// nested call asks the server, and hears nothing. A makes the call again. B
// must not get in: A is inside all the time.
//
// Usually lost by: a nested call without an answer that is taken for the end of
// the hold. The next one then begins with clearing away what is left of it.
// Source: deduced.
#include "race_more.h"

void nested_call_unheard(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A is inside, B waits; A's connection breaks");
    enter(a);
    wait_for_lock(b, MINUTE);
    cut_off(a);
    reconnect(a);
    need_lock(a);
    note(race, "A's nested call hears nothing, and is made again");
    begin_enter(a);
    lose_answer(a);
    need_lock(a);
    enter(a);
    must_still_hold(a);
}
