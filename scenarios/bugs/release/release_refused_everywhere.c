// Race: every server refuses a release.
//
// A releases while the servers take no writes. The lock still stands, so A must
// be told neither "ok" nor "lost". Then the servers take writes again, and A
// releases once more. The lock must be free at once. B tries.
//
// Usually lost by: a release that counts an error as a no.
// Source: deduced.
#include "race_more.h"

void release_refused_everywhere(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    judge_strictly(race);
    note(race, "A releases while no server takes writes");
    enter(a);
    refuse_writes(race);
    leave(a);
    accept_writes(race);
    note(race, "A releases again, and B tries");
    leave(a);
    must_enter(b, "though A's second release was not refused");
}
