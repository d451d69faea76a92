// Race: the undo of an attempt comes late.
//
// A's attempt runs, and its last answer is slow. A lease later B takes the
// lock. Now A's connection breaks. A does not know that its attempt has run.
// Its clean-up must not touch B's lock. C tries.
//
// Usually lost by: an attempt without an answer that is undone with DEL.
// Source: deduced.
#include "race_more.h"

void late_undo(struct race *race) {
    struct client *z = race_client(race, "Z");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    note(race, "Z shows how many commands it takes to get in");
    int commands = enter(z);
    leave(z);
    note(race, "A's attempt runs; its last answer is slow");
    begin_enter(a);
    hold_answer(a, commands);
    advance(race, LEASE + SECOND);
    note(race, "a lease and a second later B tries");
    enter(b);
    note(race, "A's connection breaks");
    lose_answer(a);
    need_lock(a);
    note(race, "C tries");
    must_not_enter(c, "though B is inside, or A's lock never ends");
}
