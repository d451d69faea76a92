// Race 7.7: the key is something else.
//
// Somebody uses the lock's name for a list. A tries. It may be told that the
// lock is taken, or that something is wrong; it must not get in, and the list
// must stay as it is.
//
// Lost by: none.
// Source: bad input.
#include "race.h"

int main(int argc, char **argv) {
    struct race *race = race_open(argc, argv, "key_of_another_type");
    struct client *a = race_client(race, "A");

    operate(race, "LPUSH KEY precious");
    note(race, "A tries");
    enter(a);
    operate(race, "LRANGE KEY 0 -1");
    return race_close(race);
}
