// Race: a hold follows after a refused release.
//
// A is inside, and its lease is renewed. It releases, and the server refuses
// that with an error. A has finished its work, and does not repeat the release.
// Then it acquires again. It may be told that the lock is busy: then it tries
// once more when the old lease is over. If it was let in at once, its hold must
// last as every other one. More than a lease later B tries, while A is at work.
//
// Usually lost by: a count that is not set back: the new hold is taken for a
// nested one, and is not renewed.
// Source: deduced.
#include "race_more.h"

void hold_after_refused_release(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A's lease is renewed; then its release is refused");
    enter(a);
    renew(a);
    begin_leave(a);
    hold_change(a);
    refuse_command(a);
    finish(a);
    note(race, "A acquires again; more than a lease later B tries");
    enter(a);
    advance(race, LEASE + SECOND);
    enter_if_outside(a);
    need_inside(a);
    must_not_enter(b, "though A is at work and can renew its lease");
}
