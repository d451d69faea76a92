// Race 2.6: the server stands still for longer than the lease.
//
// The server is stopped, swapped out or moved, and goes on long after. B's
// attempt waits in its socket, and so does whatever A's watchdog sent, in the
// order in which they came. When the server goes on, the first thing that it
// sees is that A's lease is over.
//
// Lost by: every lock whose lease the server ends while it cannot hear of a
// renewal.
// Source: replayed here.
#include "race.h"

int main(int argc, char **argv) {
    struct race *race = race_open(argc, argv, "server_stall");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    advance(race, 25 * SECOND);
    note(race, "the server stands still; B tries");
    stop_server(race);
    begin_enter(b);
    run_command(b);
    advance(race, LEASE + SECOND);
    note(race, "more than a lease later the server goes on");
    resume_server(race);
    finish(b);
    return race_close(race);
}
