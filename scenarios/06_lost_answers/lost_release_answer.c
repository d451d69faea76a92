// Race 6.3: the answer to a release is lost, and it is sent again.
//
// A's release runs, and its answer is lost. Five seconds later B is inside. A
// releases again, because it cannot know that its first release ran. C tries.
//
// Usually lost by: a release that does not ask whose lock it is.
// Source: Redisson issue 4871.
#include "race.h"

void lost_release_answer(struct race *race) {
    struct client *z = race_client(race, "Z");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    need_exact_instants(race);
    note(race, "Z shows how many commands a release takes, its second one");
    enter(z);
    leave(z);
    enter(z);
    int commands = leave(z);
    note(race, "A's release runs, and the answer is lost with the connection");
    enter(a);
    begin_leave(a);
    hold_answer(a, commands);
    lose_answer(a);
    advance(race, 5 * SECOND);
    note(race, "B takes the lock");
    enter(b);
    note(race, "A releases again");
    leave(a);
    note(race, "C tries while B is inside");
    enter(c);
}
