// An event: something that happened in a world. The world reports it to its
// watchers: the judge and the trace.
#ifndef EVENT_H
#define EVENT_H

#include "choice.h"
#include "engines/lock_state.h"
#include "engines/message.h"
#include "engines/resource.h"

#include <stdbool.h>

// The result of an operation, as the client said it.
enum result {
    RESULT_OK,
    RESULT_BUSY,
    RESULT_LOST,
    RESULT_UNKNOWN,
    RESULT_ERROR,
    RESULT_CANNOT, // the client has no such operation
};

// "ok", "busy", "lost", "unknown", "error", "cannot": as in the client
// protocol.
const char *result_word(enum result result);

enum event_kind {
    // of the world
    EVENT_ASKED,     // operation; ns: its own lease, or 0
    EVENT_REQUEST,   // request: it has come to the gate
    EVENT_REFUSED,   // request: it runs now, and the server refuses all writes
                     // meanwhile
    EVENT_RAN,       // request, answer: the request ran on the server
    EVENT_WAITS,     // request: it waits in the server
    EVENT_PUSHED,    // answer: the server has sent a message by itself
    EVENT_HEARD,     // answer: that message reached the client
    EVENT_PUBLISHED, // answer: the last pushed message on this connection; it
                     // may be behind others. Only in a world that looks ahead
    EVENT_ANSWER,    // request, answer: the answer reached the client
    EVENT_CUT,       // request, and answer if it ran: neither will arrive
    EVENT_SLEEPS,    // operation, ns: a client that waits for the lock sleeps
                     // until something wakes it: its attempt was refused
    EVENT_RESULT,    // operation, ns, result, text (the client's reason), depth
    EVENT_GAVE_UP,   // request, and answer if it ran: the client has closed
                     // its end of the connection
    EVENT_CLOCK,     // time has passed
    EVENT_WOKE,      // a wait of the client's was over
    EVENT_SKEWED,    // ns
    EVENT_KILLED,
    EVENT_CRASHED,   // text: "signal 11", by a mistake in the client
    EVENT_QUIT,      // text: "exited with 1", by itself, while nobody asked it
    EVENT_ENDLESS,   // text: "takes 2000 steps within a second": the client
                     // comes to no end of what it does
    EVENT_STOPPED,   // text: "suspended", if its machine is; or NULL
    EVENT_CONTINUED,
    EVENT_ISOLATED,
    EVENT_RECONNECTED,
    EVENT_SERVER,    // text: what was done to a server
    EVENT_CHOICE,    // choice: it will be made now; its effects follow
    // of the story
    EVENT_NOTE,      // text
    EVENT_WORK_DONE, // the client's critical section has ended
    EVENT_HUNG,      // the client's worker never goes on; its process lives
};

// Does the client's process end with this event?
bool event_ends_client(enum event_kind kind);

// Pointers are valid until the watcher returns.
struct event {
    enum event_kind kind;
    int64_t time_ns;
    int client;      // -1: none
    int connection;  // 0: not on the wire
    bool reachable;  // with an operation: a majority of the client's servers is
                     // up, and it can reach them
    bool all_reachable; // with an operation: the same of all of them
    bool operated;   // of a server: an operator's command
    bool waits;      // with a result: the client has set a timer that ends
                     // within a lease
    bool pending;    // with a result: a command of the client's has no answer,
                     // or had none when its connection ended
    unsigned delayed; // of time that passed, 1 << client: a command or an
                     // answer of its was on its way, or a timer was overdue
    bool elsewhere;  // of a client: the lock on its server is not shown
    bool late;       // of a request that ran: its client had given up on it
    bool waited;     // of a request that ran: it waited in the server, and
                     // another command let it run
    bool together;   // of a request that ran: others ran at the same moment,
                     // and the effect of each is not known
    bool gained;     // of a request that ran: it has made the lock's key on one
                     // of several masters, or given it a value or a time
    int server;      // on the wire, or of one way: its number, from 0
    bool one_way;    // cut off or reconnected: to this server only
    enum write write; // on the wire: the resource's answer to a write
    int lock_number; // with an operation: of the client's locks, from 0
    int thread;      // with an operation: of the client's threads, from 1
    const struct message *request;
    const struct message *answer;
    enum operation operation;
    enum result result;
    int depth; // how often the client has entered and not left
    const char *text;
    const struct choice *choice; // with EVENT_SERVER: the choice, or NULL
    int64_t ns;
    int64_t patience_ns; // with an operation: how long it may wait, or 0
    struct lock_state lock;   // after the event
    struct lock_state second; // the second lock, if a client has two
    const struct lock_state *masters; // the lock on each of several masters;
                     // NULL: there is one master, and `lock` is on it
};

#endif
