// Race 3.3: between looking and deleting, the lock changes hands.
//
// A's release reads the lock first and finds that it is A's. Before its next
// command reaches the server, the lease ends and B gets in. A's answer is no
// longer true. A release that does not read before it writes cannot fail in
// this way.
//
// Usually lost by: a release that asks in one command, which may be a script,
// and deletes in another.
// Source: spring-integration issue 8699.
#include "race_more.h"

void check_then_delete(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    enter(a);
    advance(race, 29 * SECOND);
    note(race, "A releases in time; what it sends after looking is slow on the wire");
    begin_leave(a);
    pass_read(a);
    hold_write(a);
    advance(race, LEASE + SECOND);
    note(race, "a lease and a second later B tries");
    enter(b);
    note(race, "A's command lands");
    finish(a);
    note(race, "C tries");
    enter(c);
}
