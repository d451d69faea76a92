// Race 11.5: three clients take the masters from each other.
//
// A gets two of five masters, B the next two, and C the last one. Nobody has a
// majority, and each gives back what it has. After pauses of random lengths
// they try again. A's pause is the shortest: A must get in, and the others must
// not.
//
// Usually lost by: a lock that leaves behind what a failed attempt has taken;
// without random pauses the same could happen again and again.
// Source: the Redis documentation on distributed locks.
#include "race_more.h"

void split_vote(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    race_server(race, 5);
    note(race, "A gets two of five masters, B two, C one");
    begin_enter(a);
    pass_commands(a, 2);
    begin_enter(b);
    pass_commands(b, 4);
    begin_enter(c);
    pass_commands(c, 5);
    note(race, "nobody has a majority");
    finish(a);
    finish(b);
    finish(c);
    note(race, "after a random pause A is the first to try again");
    must_enter(a, "though nobody has the lock");
    must_not_enter(b, "while A is inside");
    must_not_enter(c, "while A is inside");
}
