// Race: the lock's second try finds a stranger's lock.
//
// A's attempt is lost before it reaches the server. B takes the lock. Now the
// code of A's lock tries again by itself, and finds a lock. It is not A's own,
// left by a first try whose answer was lost: A must not get in beside B.
//
// Usually lost by: a second try that takes every lock it finds for its own.
// Source: deduced.
#include "race_more.h"

void second_try_finds_a_stranger(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    need_exact_instants(race);
    note(race, "A's attempt is lost, and B takes the lock");
    begin_enter(a);
    hold_change(a);
    lose_answer_before_retry(a);
    enter(b);
    note(race, "A's lock tries again");
    finish(a);
}
