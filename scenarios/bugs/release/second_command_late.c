// Race: the second command of a release comes late.
//
// A releases in time with more than one command, and the one that really ends
// the lock is slow on the wire. The commands before it have passed: a read, or
// a script that compares. The lease runs out, B takes the lock, and then the
// command reaches the server. C tries.
//
// Usually lost by: a release whose first command compares, as a script or in
// the client, and whose second one deletes.
// Source: spring-integration issue 8699, where a GET compares.
#include "race_more.h"

void second_command_late(struct race *race) {
    struct client *z = race_client(race, "Z");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct client *c = race_client(race, "C");

    note(race, "Z shows which command of a release ends the lock");
    enter(z);
    leave(z);
    enter(z);
    int end = leave_and_find_end(z);
    note(race, "A releases in time; this command is slow on the wire");
    enter(a);
    advance(race, 29 * SECOND);
    begin_leave(a);
    hold_later_command(a, end);
    advance(race, LEASE + SECOND);
    note(race, "a lease and a second later B tries");
    enter(b);
    note(race, "A's command lands");
    finish(a);
    note(race, "C tries");
    enter(c);
}
