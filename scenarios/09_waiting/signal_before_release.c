// Race 9.10: the message is faster than the release.
//
// A's release consists of several commands. The one that makes the lock free is
// slow, and those before it have arrived. If one of them is the message, B
// wakes up, finds the lock taken, and sleeps again. Then the lock becomes free,
// and no message follows. B must get in all the same.
//
// Usually lost by: a release that sends the message first, in a command of its
// own.
// Source: python-redis-lock issue 27, where a script rules it out.
#include "race_more.h"

void signal_before_release(struct race *race) {
    struct client *z = race_client(race, "Z");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "Z shows which command of a release makes the lock free");
    enter(z);
    int ending = leave_and_find_end(z);
    enter(a);
    wait_for_lock(b, MINUTE);
    note(race, "A releases; the command that makes the lock free is slow");
    begin_leave(a);
    hold_later_command(a, ending);
    advance(race, SECOND);
    finish(a);
    advance(race, SECOND);
    must_have_got_in(b, "a second after A has released");
}
