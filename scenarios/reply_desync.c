// Race 6.5: an old answer is read as a new one.
//
// A asks for the lock, its patience ends, and B gets in. Then A's question
// arrives, and A asks again. If the connection of the first question were still
// in use, A would read its answer as that of the second, and be off by one from
// then on. Here nobody can lose this: who gives up has closed the connection,
// and what was asked on it is answered to nobody.
//
// Lost by: a client that goes on with a connection on which it has given up.
// Source: redis-py issue 2624.
#include "race.h"

int main(int argc, char **argv) {
    struct race *race = race_open(argc, argv, "reply_desync");
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    note(race, "A's attempt is slow, and A gives up");
    begin_enter(a);
    give_up(a);
    note(race, "B takes the lock");
    enter(b);
    note(race, "A's attempt lands, and A tries again");
    land(a);
    enter(a);
    return race_close(race);
}
