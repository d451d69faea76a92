// Race: a client dies after the lost answer of an attempt.
//
// A's first command runs, and its answer is lost with the connection. A goes on
// by itself, on a new connection, where the server knows nothing of what was
// begun on the old one. A's next command runs, and A dies. An hour later B
// tries. (It cannot happen to a lock that never tries a second time by itself.)
//
// Usually lost by: a transaction of which the first word was lost. The commands
// after it run alone.
// Source: deduced.
#include "race_more.h"

void crash_after_lost_answer(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "the answer to A's first command is lost, and A goes on");
    begin_enter(a);
    run_command(a);
    lose_answer_before_retry(a);
    note(race, "A's next command runs, and A dies");
    run_command(a);
    crash(a);
    advance(race, HOUR);
    note(race, "an hour later B tries");
    must_enter(b, "an hour after A died");
}
