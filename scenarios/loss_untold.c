// Race 4.8: the holder is not told that its lock is gone.
//
// Somebody deletes A's lock. Nobody else comes. A third of a lease later at
// the latest a watchdog has found out. Does A know?
//
// Lost by: a lock that does not tell its holder: without a watchdog nobody
// ever looks.
// Source: Redisson issue 4698.
#include "race.h"

int main(int argc, char **argv) {
    struct race *race = race_open(argc, argv, "loss_untold");
    struct client *a = race_client(race, "A");

    enter(a);
    operate(race, "DEL KEY");
    advance(race, 11 * SECOND);
    note(race, "11 seconds later: does A know?");
    must_know_of_loss(a);
    return race_close(race);
}
