// A choice: one thing that a world can do next.
//
// A verb of a race makes a few choices, and nothing but a choice changes a
// world. A race is a fixed list of choices. A search tries all of them, a game
// lets a person choose, a replay reads them from a line of text.
#ifndef CHOICE_H
#define CHOICE_H

#include <stdbool.h>
#include <stdint.h>

// The locks with which a client is opened: "lock" alone; "lock", then "lock2";
// or turned: "lock2", then "lock".
enum opened { OPENED_ONE, OPENED_TWO, OPENED_TURNED };

// The greatest numbers of each in a world.
enum {
    MAX_CLIENTS = 8,
    CLIENT_LOCKS = 2,
    CLIENT_THREADS = 4,
    MAX_MASTERS = 8,
};

// The operations of a client.
enum operation {
    OPERATION_ENTER, // acquire the lock: one attempt, or with patience
    OPERATION_LEAVE, // release it
    OPERATION_HELD,  // say whether it believes that it still holds the lock
    OPERATION_WRITE, // write to the resource, which checks and writes in one
                     // step
    OPERATION_WRITE_APART, // the same in two steps: the check, then the write
    OPERATION_REOPEN, // free the lock's handle without a release, and open it
                      // anew, as a program does that is started again
};

enum choice_kind {
    CHOOSE_ASK,          // client, operation, lock, thread: the client starts
                         // it; ns: the lease of this enter, or of those after
                         // this reopen; 0: the usual one
    CHOOSE_FORWARD,      // client, connection: a held request reaches the
                         // server and runs; its answer is held
    CHOOSE_REFUSE,       // client, connection: the same while the server
                         // refuses every command that writes; it still answers
                         // those that only read
    CHOOSE_DELIVER,      // client, connection: a held answer reaches the client
    CHOOSE_CUT,          // client, connection: the connection breaks. A held
                         // request (it has not run) or answer is lost
    CHOOSE_GIVE_UP,      // client, connection: the client's end closes, as
                         // after a time-out; a request on its way to the server
                         // can still arrive
    CHOOSE_ADVANCE,      // ns: time passes
    CHOOSE_WAKE,         // client: its wait with the earliest deadline is over
    CHOOSE_SKEW,         // client, ns: its wall clock is ahead by that much
    CHOOSE_KILL,         // client: SIGKILL
    CHOOSE_STOP,         // client: SIGSTOP
    CHOOSE_SUSPEND,      // client: the same, and so is its whole machine
    CHOOSE_CONTINUE,     // client: SIGCONT
    CHOOSE_ISOLATE,      // client: it can no longer reach any server
    CHOOSE_RECONNECT,    // client: it can again
    CHOOSE_ISOLATE_FROM, // client, server: it can no longer reach this one
    CHOOSE_RECONNECT_TO, // client, server: it can again
    CHOOSE_REACH,        // client, server: its first server is this one from
                         // now on
    CHOOSE_OPERATE,      // server, text: the words of an operator's command
    CHOOSE_OPERATE_IN_VAIN, // the same, and the server has to refuse it
    CHOOSE_KILL_SERVER,  // server: SIGKILL
    CHOOSE_START_SERVER, // server: from its disk
    CHOOSE_STOP_SERVER,  // server: SIGSTOP
    CHOOSE_CONTINUE_SERVER, // server: SIGCONT
    CHOOSE_SKEW_SERVER,  // server, ns: its wall clock is ahead by that much
    CHOOSE_SYNC_DISK,    // server: its writes so far are safe on its disk
    CHOOSE_LOSE_UNSYNCED, // server, down: its writes since then are lost
    CHOOSE_WIPE_DISK,    // server, down: nothing is left
    CHOOSE_HOLD_REPLICATION, // server: nothing reaches this replica any more
};

// Does a choice of this kind name a client; a connection; a server? (Time names
// none.)
bool choice_names_client(enum choice_kind kind);
bool choice_names_connection(enum choice_kind kind);
bool choice_names_server(enum choice_kind kind);

// "enter", "leave", "held", "write", "write-apart", "reopen": as in the client
// protocol.
const char *operation_word(enum operation operation);

// Does it write to the resource?
bool operation_writes(enum operation operation);

// The patience of a client that may wait for no time: it tries once.
enum { NO_PATIENCE_NS = 1 };

struct choice {
    enum choice_kind kind;
    int client;     // as numbered by world_add_client()
    int connection; // as numbered by the client's gate
    int server;     // 0 is the first; other masters follow, then replicas
    enum operation operation;
    int lock;       // of the client's locks, from 0
    int thread;     // of the client's threads, from 1; 0 means 1
    int64_t ns;
    int64_t patience_ns; // with enter: the longest wait; 0: no wait
    const char *text;
};

#endif
