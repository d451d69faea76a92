// Race: patience ends while an attempt is under way.
//
// A is inside. B waits for a second. Its last attempt is a little slow: when it
// is told no, its patience is over by some milliseconds. A works on. Ten
// seconds later B must have given up.
//
// Usually lost by: a time that is left without a sign, so that a little less
// than nothing is very much.
// Source: deduced.
#include "race_more.h"

void patience_ends_in_an_attempt(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A is inside; B waits for a second, and its last attempt is slow");
    enter(a);
    wait_for_lock(b, SECOND);
    begin_last_attempt(b);
    advance(race, 5 * MILLISECOND);
    finish(b);
    note(race, "ten seconds later A is still at work");
    advance(race, 10 * SECOND);
    must_have_given_up(b, "though its patience is over");
}
