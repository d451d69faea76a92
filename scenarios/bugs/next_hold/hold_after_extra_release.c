// Race: a hold follows after an extra release.
//
// A takes the lock and releases it twice, by mistake. Nobody else is there, so
// that does no harm. Then A takes the lock again. This hold must be like any
// other: B cannot get in while A is inside, and gets in when A has released
// once.
//
// Usually lost by: a count that falls below zero.
// Source: deduced.
#include "race.h"

void hold_after_extra_release(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A takes the lock and releases it twice");
    enter(a);
    leave(a);
    leave(a);
    note(race, "A takes it anew, and B tries");
    must_enter(a, "though nobody has the lock");
    must_not_enter(b, "while A is inside");
    note(race, "A releases once, and B tries again");
    leave(a);
    must_enter(b, "though A has left as often as it got in");
}
