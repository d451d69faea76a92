// A choice: one thing that a world can do next.
//
// Verbs of a race come down to choices, and nothing else changes a world. A
// race is a fixed list of them; whoever wants to try all, or pick the next one
// by hand, or read them from a string, needs nothing more than this.
#ifndef CHOICE_H
#define CHOICE_H

#include <stdint.h>

// What a client can be asked to do.
enum operation {
    OPERATION_ENTER, // acquire the lock, one attempt
    OPERATION_LEAVE, // release it
    OPERATION_HELD,  // say whether it still believes in it
};

enum choice_kind {
    CHOOSE_ASK,          // client, operation: the client starts it
    CHOOSE_FORWARD,      // client, connection: a held request reaches the
                         // server and runs; its answer is held
    CHOOSE_DELIVER,      // client, connection: a held answer reaches the client
    CHOOSE_CUT,          // client, connection: it breaks, and what was on its
                         // way with it: a request before it ran, or an answer
    CHOOSE_ADVANCE,      // ns: time passes
    CHOOSE_WAKE,         // client: the wait that is due first is over
    CHOOSE_SKEW,         // client, ns: its wall clock is ahead by that much
    CHOOSE_KILL,         // client: SIGKILL
    CHOOSE_STOP,         // client: SIGSTOP
    CHOOSE_CONTINUE,     // client: SIGCONT
    CHOOSE_ISOLATE,      // client: it can no longer reach the server
    CHOOSE_RECONNECT,    // client: it can again
    CHOOSE_KILL_SERVER,  // SIGKILL
    CHOOSE_START_SERVER, // with nothing in it
};

// "enter", "leave", "held": as in the client protocol.
const char *operation_word(enum operation operation);

struct choice {
    enum choice_kind kind;
    int client;     // as numbered by world_add_client()
    int connection; // as numbered by the client's gate
    enum operation operation;
    int64_t ns;
};

#endif
