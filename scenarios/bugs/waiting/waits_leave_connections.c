// Race: waits leave their connections open.
//
// B holds the lock, A waits for it and gets in; and once A waits in vain. Both
// take place twice, and then A's connections are counted. When the same has
// taken place twice more, A must not have more of them. A service that waits
// for a lock all day would otherwise run out of descriptors, and the server,
// which has a limit too, would let nobody in.
//
// Usually lost by: a wait that opens a connection to hear of a release, and
// does not close it on every way out.
// Source: deduced.
#include "race_more.h"

// A waits and gets in, and once it waits in vain.
static void take_turns(struct race *race, struct client *a, struct client *b) {
    enter(b);
    wait_for_lock(a, MINUTE);
    leave(b);
    advance(race, SECOND);
    must_have_got_in(a, "a second after B has released");
    need_no_wait(a);
    leave(a);
    enter(b);
    wait_for_lock(a, SECOND);
    advance(race, 5 * SECOND);
    must_have_given_up(a, "four seconds after its patience was over");
    need_no_wait(a);
    leave(b);
}

void waits_leave_connections(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A waits and gets in, and waits in vain; twice");
    take_turns(race, a, b);
    take_turns(race, a, b);
    count_connections(a);
    note(race, "the same twice more");
    take_turns(race, a, b);
    take_turns(race, a, b);
    must_have_no_more_connections(a);
}
