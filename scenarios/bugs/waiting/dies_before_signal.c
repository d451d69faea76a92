// Race: the holder dies before it sends the signal.
//
// A's release makes the lock free with one command, and has another one to
// send: the message. A is killed in between. The lock is free, and B sleeps. B
// must get in now, and not when A's lease would have ended.
//
// Usually lost by: a release that sends the message afterwards, in a command of
// its own.
// Source: deduced.
#include "race_more.h"

void dies_before_signal(struct race *race) {
    struct client *z = race_client(race, "Z");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "Z shows which command of a release makes the lock free");
    enter(z);
    int ending = leave_and_find_end(z);
    enter(a);
    wait_for_lock(b, MINUTE);
    note(race, "A releases, and is killed before it sends the next command");
    begin_leave(a);
    hold_later_command(a, ending + 1);
    crash(a);
    advance(race, SECOND);
    must_have_got_in(b, "a second after the lock has become free");
}
