// Race: a thread that was refused ends the renewal.
//
// A thread of A gets in twice and leaves once, which shows that this lock
// counts; its lease is renewed. Another thread of A tries with the same handle,
// and then releases, whether it got in or not. More than a lease later B tries
// while A's first thread is at work.
//
// Usually lost by: a release that stops the watchdog before it knows whose hold
// it ends.
// Source: deduced.
#include "race_more.h"

void refused_thread_ends_renewal(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "a thread of A is inside, and its lease is renewed");
    enter(a);
    enter(a);
    need_two_entries(a);
    leave(a);
    renew(a);
    note(race, "another one tries, and releases, whether it got in or not");
    enter(second_thread_of(a));
    leave(second_thread_of(a));
    note(race, "more than a lease later B tries");
    advance(race, LEASE + SECOND);
    must_not_enter(b, "though A's first thread is inside and can renew");
}
