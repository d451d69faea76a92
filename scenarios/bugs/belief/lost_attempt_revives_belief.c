// Race: a lost nested attempt revives belief.
//
// A is inside, and loses its network for longer than its lease. It knows then
// that its lock is lost. Another function of A's knows nothing of that. It
// takes the lock once more, with a lease of its own, and its command is lost.
// So A has learned nothing: what was lost stays lost. B takes the lock.
//
// Usually lost by: a belief that begins anew with every attempt.
// Source: deduced.
#include "race_more.h"

void lost_attempt_revives_belief(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A loses its network for longer than its lease, and knows it");
    enter(a);
    cut_off(a);
    outlast_lease(race);
    ask(a);
    note(race, "A's network is back; the command of a nested attempt is lost");
    reconnect(a);
    begin_enter_for(a, LEASE / 2);
    lose_command(a);
    note(race, "B tries; does A still know?");
    enter(b);
    ask(a);
}
