// Race: a nested call that nobody has heard is counted.
//
// A is inside. Its connection breaks, and can be made again at once: now also a
// lock that otherwise only counts its nested calls has to ask the server. A's
// nested call is lost on its way, and A does not repeat it. A leaves as often
// as it was told that it is in. After that the lock must be free. B tries.
//
// Usually lost by: a client that counts a nested call before it has an answer.
// Source: deduced.
#include "race_more.h"

void unheard_call_is_counted(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A is inside, and its connection breaks");
    enter(a);
    cut_off(a);
    reconnect(a);
    need_lock(a);
    note(race, "A's nested call is lost");
    begin_enter(a);
    lose_command(a);
    need_no_wait(a);
    need_inside(a);
    need_lock(a);
    note(race, "A leaves as often as it was told that it is in; B tries");
    leave_if_inside(a);
    leave_if_inside(a);
    must_enter(b, "though A has left as often as it got in");
}
