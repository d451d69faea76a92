// The gate: what a client's connections to a server pass through.
//
// Each client gets a Unix socket of its own. Every connection it makes there
// is paired with one to the real server, and whole requests are held until the
// world lets them through, one at a time; so are the answers. Interposing
// libc's send and recv in the client was the alternative: it depends on how
// the client's library does its input and output, and a socket does not.
#ifndef GATE_H
#define GATE_H

#include "machine/loop.h"
#include "engines/message.h"
#include "machine/sandbox.h"

#include <stdbool.h>

enum { MAX_CONNECTIONS = 8 };

// A connection carries one request at a time; a client that sends several at
// once has the others wait in the parser.
enum stage {
    STAGE_QUIET,    // nothing on the way
    STAGE_HELD,     // a request has left the client and not reached the server
    STAGE_RUNNING,  // the server has it
    STAGE_ANSWERED, // the answer has left the server and not reached the client
};

struct connection {
    struct gate *gate;
    int number; // 1 for the client's first connection, 2 for its second …
    enum stage stage;
    unsigned forwarded; // which request it was of all that reached a server
    bool noting; // the server does not do what follows, it notes it
    bool told; // the world has reported this stage
    size_t unanswered; // bytes that came in since it was last quiet
    struct message request;
    struct message answer;
    struct watch client;
    struct watch server;
    void *requests; // parsers
    void *answers;
};

struct gate {
    char owner[16]; // the client's name, for messages
    const struct wire_format *format;
    char server[SANDBOX_PATH_SIZE];
    char path[SANDBOX_PATH_SIZE];
    struct watch listener; // closed: the server cannot be reached from here
    struct watch port_listener;
    int port; // 0: none was asked for
    struct connection *connections[MAX_CONNECTIONS];
    int made; // connections so far
};

// Opens the gate at `path` before the server at `server`. Must stay where it
// is until it is shut.
void gate_open(struct gate *gate, const char *owner, const char *path,
               const char *server, const struct wire_format *format);

// Opens a port on the loopback, too, for clients that cannot use a Unix socket;
// returns its number.
int gate_open_port(struct gate *gate);

// Breaks all connections; requests and answers on the way are gone, new
// connections are refused.
void gate_shut(struct gate *gate);

// Can connections be made?
bool gate_is_open(const struct gate *gate);

// After gate_shut(): connections can be made again.
void gate_reopen(struct gate *gate);

// After gate_shut(): they lead to another server.
void gate_lead_to(struct gate *gate, const char *server);

// The connection with this number, or NULL if it is gone.
struct connection *gate_connection(const struct gate *gate, int number);

// The connection with the lowest number, but for `except`, whose request or
// answer is on its way.
struct connection *gate_pending(const struct gate *gate, int except);

// Does the client wait for an answer on one of its connections?
bool gate_blocks(const struct gate *gate);

// STAGE_HELD -> STAGE_RUNNING. STAGE_ANSWERED comes by itself, with a later
// turn of the loop.
void gate_forward(struct connection *connection);

// STAGE_ANSWERED -> STAGE_QUIET, or STAGE_HELD if the client had sent more.
void gate_deliver(struct connection *connection);

// Has the server closed a connection on which nothing is on its way any more?
bool gate_has_ended(const struct gate *gate);

// Breaks such connections; true if there were any. Done when the client sleeps:
// whether it noticed the end before it sent its next request would otherwise be
// a matter of luck.
bool gate_drop_ended(struct gate *gate);

// Breaks one connection, with whatever is on its way.
void gate_cut(struct connection *connection);

// Breaks the client's end. What is on its way to the server can still arrive.
void gate_abandon(struct connection *connection);

#endif
