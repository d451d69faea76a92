// Race 2.6: the server stands still for longer than the lease.
//
// The server is stopped, swapped out or moved to another machine, and goes on
// much later. Meanwhile B's attempt and A's renewals wait in the server's
// socket. More than a lease later A asks itself whether it still holds the
// lock, and stops its work if not. When the server goes on, A's lease is over.
//
// Usually lost by: every lock with a lease whose holder has no deadline of its
// own.
// Source: the Redis documentation on latency, which tells what makes a server
// stand still; replayed here.
#include "race_more.h"

void server_stall(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct server *server = race_server(race, 1);

    enter(a);
    advance(race, 25 * SECOND);
    note(race, "the server stands still; B tries");
    stop_server(server);
    begin_enter(b);
    run_command(b);
    advance(race, LEASE + SECOND);
    note(race, "more than a lease later: does A know?");
    ask(a);
    note(race, "the server goes on, and does what it was sent");
    resume_server(server);
    finish_on_any_connection(b);
    finish(a);
}
