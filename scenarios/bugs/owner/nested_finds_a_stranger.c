// Race: a nested attempt finds a stranger's lock.
//
// A is inside twice and loses its network for longer than its lease. B takes
// the lock. A's network is back, and its inner function tries to take the lock
// too. "Busy" would be the answer for somebody outside, who may try again
// later. A has to hear that its lock is lost. And it must forget its old hold:
// when B has left, A takes the lock anew, releases once, and B gets in.
//
// Usually lost by: a nested acquire that says "busy", and a count that outlives
// the loss.
// Source: deduced.
#include "race_more.h"

void nested_finds_a_stranger(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A is inside twice");
    enter(a);
    enter(a);
    need_two_entries(a);
    note(race, "A loses its network for longer than its lease, and B gets in");
    cut_off(a);
    outlast_lease(race);
    ask(a);
    enter(b);
    note(race, "A's network is back, and A's inner function tries");
    reconnect(a);
    enter(a);
    must_hear_lost(a);
    note(race, "B leaves; A takes the lock anew and releases once");
    leave(b);
    must_enter(a, "though nobody has the lock");
    leave(a);
    note(race, "B tries again");
    must_enter(b, "though A has left as often as it got in since then");
}
