// Race 9.11: the wall clock is set while somebody waits.
//
// B waits for twenty seconds. After five its wall clock is set twenty seconds
// ahead. A message comes, the lock is not free, and B must sleep again: it has
// patience for fifteen seconds more. A releases three seconds later, and B must
// get in. How long somebody has waited is measured with a clock that nobody
// sets.
//
// Usually lost by: a waiter that notes the end of its patience as a time of
// day.
// Source: redis-py issue 1290, redis-py pull request 1402.
#include "race.h"

void clock_set_while_waiting(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    wait_for_lock(b, 20 * SECOND);
    advance(race, 5 * SECOND);
    note(race, "B's clock is set ahead; B is woken, and the lock is not free");
    set_clock_ahead(b, 20 * SECOND);
    operate(race, "PUBLISH KEY free");
    operate(race, "LPUSH KEY:signal free");
    advance(race, 3 * SECOND);
    note(race, "A releases");
    leave(a);
    advance(race, SECOND);
    must_have_got_in(b, "a second after A has released");
}
