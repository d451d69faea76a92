// Race 3.7: a second try to release hits the next hold.
//
// A's release runs and its answer is lost. A releases again; this second
// release is slow on the wire, and A gives up waiting for it. A takes the lock
// anew. Then the second release reaches the server. It was meant for A's first
// hold of the lock, and it ends A's second one.
//
// Usually lost by: a release that checks only the owner, or nothing: it cannot
// tell one hold from the next.
// Source: etcd issue 22082.
#include "race.h"

void late_retry_kills_next_hold(struct race *race) {
    struct client *z = race_client(race, "Z");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "Z shows how many commands a release takes, its second one");
    enter(z);
    leave(z);
    enter(z);
    int commands = leave(z);
    note(race, "A's release runs, and the answer is lost with the connection");
    enter(a);
    begin_leave(a);
    hold_answer(a, commands);
    lose_answer(a);
    note(race, "A releases again; that is slow, and A gives up waiting");
    begin_leave(a);
    hold_change(a);
    give_up(a);
    note(race, "A takes the lock anew");
    enter(a);
    note(race, "the second try lands");
    land(a);
    note(race, "B tries while A is inside");
    enter(b);
}
