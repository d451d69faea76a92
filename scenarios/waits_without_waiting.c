// Race 14.122: three waits find a free lock, and the fourth does not.
//
// Three times A is ready to wait, finds the lock free, and releases it. Then A
// is inside, and B really has to wait. A releases. B must be woken: what the
// three waits have left on the server must not tell A that nobody waits.
//
// Usually lost by: a count of those who wait that is lowered by whoever has not
// raised it.
// Source: deduced.
#include "race.h"

// The client is ready to wait, and does not have to.
static void wait_for_nobody(struct race *race, struct client *client) {
    wait_for_lock(client, MINUTE);
    advance(race, SECOND);
    must_have_got_in(client, "though the lock is free");
    need_no_wait(client);
    leave(client);
}

int main(int argc, char **argv) {
    struct race *race = race_open(argc, argv, "waits_without_waiting");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    leave(a);
    note(race, "three times A is ready to wait, and the lock is free");
    wait_for_nobody(race, a);
    wait_for_nobody(race, a);
    wait_for_nobody(race, a);
    note(race, "A is inside, and B waits");
    enter(a);
    wait_for_lock(b, MINUTE);
    leave(a);
    advance(race, SECOND);
    must_have_got_in(b, "a second after A has released");
    return race_close(race);
}
