// A client of the world: a real process behind a gate, its line protocol, and
// the waits it has announced.
#ifndef CLIENT_H
#define CLIENT_H

#include "choice.h"
#include "event.h"
#include "gate.h"
#include "loop.h"
#include "process.h"

#include <stdbool.h>

enum { MAX_WAITS = 8, CLIENT_LINE = 256 };

// A thread of the client waits until `deadline_ns`. Closed by the client when
// the wait ended for another reason.
struct wait {
    struct client *client;
    struct watch watch;
    int64_t deadline_ns;
    bool announced; // the deadline has arrived
};

struct client {
    char name[8];
    struct process process;
    struct gate gate;
    unsigned clock_slot;
    struct watch waits_listener;
    struct wait waits[MAX_WAITS];
    struct watch output;
    char line[CLIENT_LINE]; // what it has said of a line so far
    size_t line_length;

    bool ready;     // it has said so
    bool asked;     // an operation is under way
    bool answered;  // its result is in the fields below and not reported yet
    enum operation operation;
    enum result result;
    char reason[CLIENT_LINE];
    int depth;      // how often it has entered and not left
};

// Starts `program` as a client that shall use `key` with this lease. Returns
// at once; must stay where it is. `server` is the socket behind its gate.
void client_start(struct client *client, const char *name, const char *program,
                  const char *server, const char *key, int lease_ms);

// Ends it, and everything that belongs to it. Requests that had left it before
// are still at the gate.
void client_kill(struct client *client);

// Tells it to start an operation.
void client_ask(struct client *client, enum operation operation);

// Has every thread come to rest: blocked on a connection, in a wait, or for
// the next line? Always true of a client that is stopped or dead.
bool client_rests(struct client *client);

// The wait that is over first, or NULL.
struct wait *client_next_wait(struct client *client);

// Tells the client that the wait is over.
void client_wake(struct wait *wait);

#endif
