// Race 11.4: the client hears of its majority when it is over.
//
// A's commands have made a key on three of five masters. A is stopped before it
// has read the third answer. The keys end, and B gets in. A goes on and reads
// that it has the third key. It has heard of a majority, but must not believe
// in it.
//
// Usually lost by: a lock that does not look at the clock again when it has its
// majority, or counts the lease from there.
// Source: Martin Kleppmann, How to do distributed locking, and the answer to it
// by Salvatore Sanfilippo.
#include "race.h"

void late_majority(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    race_server(race, 3);
    note(race, "A's third command runs; A is stopped before it hears of that");
    begin_enter(a);
    hold_answer(a, 3);
    stop(a);
    advance(race, LEASE + SECOND);
    note(race, "a second after the lease B tries");
    enter(b);
    note(race, "A goes on, and hears that it has a majority");
    resume(a);
    finish(a);
}
