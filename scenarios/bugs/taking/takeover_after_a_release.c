// Race: a takeover comes after a release.
//
// A dies inside. When its lease is over, B begins to take over, and its write
// is slow. C takes over first, and releases. Then B's write arrives at a lock
// that is free. Its owner must be told so: if B is not inside, D must get in.
//
// Usually lost by: a takeover that takes "there was nothing" for "somebody was
// first".
// Source: deduced.
#include "race_more.h"

void takeover_after_a_release(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");
    struct client *d = race_client(race, "D");

    note(race, "A dies inside; after its lease B tries, and its write is slow");
    enter(a);
    crash(a);
    outlast_lease(race);
    begin_enter(b);
    hold_change(b);
    note(race, "C takes over and releases; B's write arrives");
    enter(c);
    leave_if_inside(c);
    finish_on_any_connection(b);
    note(race, "B releases if it is inside; D tries");
    leave_if_inside(b);
    must_enter(d, "though nobody is inside");
}
