// Race: a release that is late takes one of three masters away.
//
// A reaches three of five masters, and must get the lock from these. Then it
// releases the lock. The first command of that is slow on the wire, and A gives
// up waiting for it. A releases again, and takes the lock anew, from the same
// three masters. Then the late command reaches its master. It was meant for A's
// first hold of the lock. B reaches all five masters. If A has lost one of its
// three, three are free for B.
//
// Usually lost by: a release that compares nothing, or only the client, or
// compares in one command and deletes in the next.
// Source: deduced.
#include "race_more.h"

void late_release_takes_a_master(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    struct server *fourth = race_server(race, 4);
    struct server *fifth = race_server(race, 5);

    note(race, "A reaches three of five masters");
    cut_off_from(a, fourth);
    cut_off_from(a, fifth);
    must_enter(a, "though it reaches a majority of the masters");
    note(race, "A's release is slow on one way, and A gives up waiting");
    begin_leave(a);
    hold_change(a);
    give_up(a);
    need_no_wait(a);
    note(race, "A releases again, and takes the lock anew");
    leave_again(a);
    enter(a);
    need_inside(a);
    note(race, "the first release lands");
    land(a);
    note(race, "B reaches all five");
    enter(b);
}
