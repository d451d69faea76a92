// Race: a late renewal hides a loss from the holder.
//
// A is inside twice. Its renewal runs, and the answer is slow. An operator
// removes A's lock. A calls one more function, which takes the lock too: the
// attempt fails, and A is told that its lock is lost. Then the renewal's answer
// arrives: that lock has been renewed. This was true, and is not any more. Does
// A's outer function still know that the lock is lost?
//
// Usually lost by: a nested attempt that does not wait for the renewal under
// way.
// Source: deduced.
#include "race_more.h"

void late_renewal_hides_a_loss(struct race *race) {
    struct client *a = race_client(race, "A");

    note(race, "A is inside twice; its renewal runs, and the answer is slow");
    enter(a);
    enter(a);
    need_two_entries(a);
    begin_renewal(a);
    run_command(a);
    note(race, "an operator removes A's lock, and A takes it once more");
    operate(race, "DEL KEY");
    enter(a);
    note(race, "the renewal's answer arrives; the outer function asks");
    finish(a);
    ask(a);
}
