// Race 13.3: two clients look for a lock that has never been taken.
//
// Nobody has ever had the lock, and A and B come at the same time. If they look
// before they write, both find nothing. Then both go on. Only one of them may
// get in.
//
// Usually lost by: a lock that looks before it writes: a look at a missing row
// keeps nobody out.
// Source: orleans issue 1169.
#include "race_more.h"

void missing_row(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "nobody has ever had the lock; A and B are about to take it");
    begin_enter(a);
    hold_write(a);
    begin_enter(b);
    hold_write(b);
    note(race, "A goes on");
    finish(a);
    note(race, "B goes on");
    finish(b);
    finish(a);
}
