// A client of the world: a real process behind a gate, its line protocol, and
// the waits it has announced.
#ifndef ACTOR_H
#define ACTOR_H

#include "choice.h"
#include "event.h"
#include "gate.h"
#include "machine/loop.h"
#include "machine/fork_server.h"
#include "machine/process.h"

#include <stdbool.h>

enum { MAX_WAITS = 8 };

// More than the 500 bytes that the protocol allows a line: a reason alone can
// be 255.
enum { CLIENT_LINE = 512 };

// A thread of the client waits until `deadline_ns`. Closed by the client when
// the wait ended for another reason.
struct wait {
    struct actor *client;
    struct watch watch;
    int64_t deadline_ns;
    bool announced; // the deadline has arrived
};

struct actor {
    char name[8];
    struct process process;
    struct gate gate;
    unsigned clock_slot;
    struct watch waits_listener;
    struct wait waits[MAX_WAITS];
    struct watch output;
    char line[CLIENT_LINE]; // what it has said of a line so far
    size_t line_length;

    bool rests;     // it was seen at rest, and nothing has stirred it since
    uint64_t mark;  // how often its threads had gone to sleep then
    bool told;      // something that it is listening for, and has not moved yet
    int64_t told_ns; // when, in real time
    bool ready;     // it has said so
    bool has_enter_for; // and that it knows this word
    bool asked;     // an operation is under way
    bool answered;  // its result is in the fields below and not reported yet
    enum operation operation;
    enum result result;
    char reason[CLIENT_LINE];
    bool real_time;
    int server; // the one it reaches
    const char *second_key;
    int lock_number; // of the operation
    int thread;
    int64_t lease_ns; // that it asks for; 0: the lock's own
    int lease_ms;     // the lock's own, as the client has been told
    int depth[CLIENT_LOCKS]; // how often it has entered and not left
    bool leaving[CLIENT_LOCKS]; // for the last time without an answer
};

struct actor_setup {
    const char *program; // a guest's is a shell command
    struct fork_server *fork_server; // has the program loaded; or NULL
    bool guest;
    bool real_time;
    const char *server; // the socket behind its gate
    const char *key;
    const char *second_key; // NULL: it uses one lock only
    int lease_ms;
};

// Takes what clients and servers are told by the world out of this process's
// own environment: somebody may have set it for a client that he started by
// hand.
void actor_clear_environment(void);

// Starts a client. Returns at once; must stay where it is.
void actor_start(struct actor *client, const char *name,
                 const struct actor_setup *setup);

// A fork server for such clients.
void actor_fork_server(struct fork_server *fork_server, const char *program,
                       bool guest, const struct variable *environment);

// Ends it, and everything that belongs to it. Requests that had left it before
// are still at the gate.
void actor_kill(struct actor *client);

// The same without waiting until it is gone: nobody will look at it again.
void actor_discard(struct actor *client);

// Tells it to start an operation: the choice's operation, lock and thread, and
// for how long it enters. One that has not said that it knows leases is not
// asked: it cannot.
void actor_ask(struct actor *client, const struct choice *choice);

// Its operation is over: returns how deep inside it is now (depth.h).
int actor_conclude(struct actor *client);

// Something is done to it: it may move from now on.
void actor_stir(struct actor *client);

// Something is done to it that wakes it: it is not at rest before it has moved.
void actor_told(struct actor *client);

// Has every thread come to rest: blocked on a connection, in a wait, or for
// the next line? Always true of a client that is stopped or dead.
bool actor_rests(struct actor *client);

// Of all that servers have answered and the world has not told, the request
// that reached one first; NULL: there is none. *number becomes its client's.
struct connection *actors_next_ran(struct actor *clients, int count,
                                   int *number);

// The wait that is over first, or NULL.
const struct wait *actor_next_wait(const struct actor *client);

// Tells the client that the wait that is over first is over.
void actor_wake(struct actor *client);

#endif
