// Race: a failed release spoils the next one.
//
// B is inside, and A releases though it is not: a late or a mistaken
// release. It must fail. B leaves. Then A takes the lock and releases it, as
// it should be, and the lock must be free. B tries again.
//
// Usually lost by: a release that leaves something behind when it fails,
// such as a WATCH.
// Source: deduced.
#include "race.h"

void failed_release_spoils_next(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A releases, though B is inside");
    enter(b);
    leave(a);
    leave(b);
    note(race, "A takes the lock and releases it");
    enter(a);
    leave(a);
    note(race, "B tries");
    must_enter(b, "though A has released");
}
