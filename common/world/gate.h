// The gate: a proxy between a client and its servers, which holds messages.
//
// Each client gets a Unix socket of its own in place of the server's; of
// several servers, one for each. For every connection that the client makes,
// the gate makes one to the real server. It holds each request until the world
// lets it through, and each answer likewise. The alternative was to replace
// send() and recv() inside the client. That would depend on how the client's
// library does its input and output; a socket does not.
#ifndef GATE_H
#define GATE_H

#include "backlog.h"
#include "choice.h"
#include "machine/door.h"
#include "machine/loop.h"
#include "engines/message.h"
#include "machine/host.h"
#include "machine/sandbox.h"

#include <stdbool.h>

enum { MAX_CONNECTIONS = 24 };

// The stage of a connection. It carries one request at a time. If a client
// sends several at once, the others wait in the parser.
enum stage {
    STAGE_QUIET,    // nothing on the way
    STAGE_HELD,     // a request has left the client and not reached the server
    STAGE_RUNNING,  // the server works on the request
    STAGE_BLOCKED,  // the request waits in the server until something happens
    STAGE_ANSWERED, // the answer has left the server and not reached the client
};

struct connection {
    struct gate *gate;
    struct way *way;
    int number; // 1 for the client's first connection, 2 for its second …
    enum stage stage;
    unsigned forwarded; // its place among all requests that reached a server
    bool enters; // the server has not let the client in yet: all passes
    bool in_transaction; // the server queues requests until EXEC or the like
    bool given_up; // the client has closed its end and goes on without it
    bool said_end; // and the server's end has heard of that
    bool reported; // the world has reported this stage
    int64_t since_ns; // when the client began to wait for an answer
    bool listens; // the server pushes messages on this connection
    bool pushed;  // `push` is a pushed message that has left the server and not
                  // reached the client. Later ones wait in the parser; only the
                  // answer to a request passes them
    bool push_first; // it has come before the answer, and arrives before it
    bool push_reported; // the world has reported it
    struct message last_push; // the newest, held or still behind others
    bool last_push_reported;
    bool was_blocked; // the request has been in STAGE_BLOCKED
    size_t unanswered; // bytes that came in since it was last quiet
    struct message request;
    struct message answer;
    struct message push;
    struct backlogged *backlogged; // NULL: the server is not stopped
    struct message *behind; // more pushed ones that came before the answer
    size_t behind_count;
    struct watch client;
    struct watch server;
    void *requests; // parsers
    void *answers;
    void *ahead; // of the server's bytes as well: all that has come in
};

// The way from the client to one of its servers.
struct way {
    struct gate *gate;
    int server; // its number in the engine
    struct door *door;
    char path[SANDBOX_PATH_SIZE];
    bool cut;
    struct watch listener; // closed: the way is cut, or the server is down
    struct watch port_listener;
    int port; // on the loopback; 0: it has none
    struct backlog *backlog; // takes all traffic; NULL: the server gets it
};

struct gate {
    char owner[16]; // the client's name, for messages
    const struct wire_format *format;
    const struct host *host; // on which its ports are; NULL: on this machine
    struct way ways[MAX_MASTERS];
    int way_count;
    struct connection *connections[MAX_CONNECTIONS];
    int made; // connections so far
    bool unheard; // a connection has ended without an answer; the world sets
                  // this to false
    bool hung_up; // the gate has closed a connection on which the client waits;
                  // the reader sets this to false
};

// A gate without a way. It must not move in memory until it is shut.
void gate_open(struct gate *gate, const char *owner,
               const struct wire_format *format, const struct host *host);

// Opens a socket at `path` that leads to this server, behind this door, which
// must stay where it is. With a port, it also opens one on the loopback, for
// clients that cannot use a Unix socket.
struct way *gate_add_way(struct gate *gate, const char *path, int server,
                         struct door *door, bool port);

// Copies words of the client. The ports and sockets of its servers, which
// differ from run to run, become ":PORT" and "SOCKET".
void gate_copy_words(const struct gate *gate, const char *words, char *copy,
                     size_t size);

// Breaks all connections; requests and answers on the way are gone, new
// connections are refused.
void gate_shut(struct gate *gate);

// The same on one way.
void gate_shut_way(struct way *way);

// Is it not cut: any way; this one? (A server that is down refuses connections
// on a way that is not cut.)
bool gate_is_open(const struct gate *gate);
bool gate_way_is_open(const struct way *way);

// Allows new connections again: on all ways; on this one.
void gate_reopen(struct gate *gate);
void gate_reopen_way(struct way *way);

// The client's way to this server; NULL: it has none.
struct way *gate_way_to(const struct gate *gate, int server);

// After servers were killed or started: the ways to those that are down refuse
// new connections, as the servers would, and the others take them.
void gate_follow_servers(struct gate *gate);

// After gate_shut_way(): new connections will lead to this server.
void gate_lead_to(struct way *way, int server, struct door *door);

// Sends all traffic on this way into the backlog; sends it to the server again.
// A connection that has not reached the server by then is cut.
void gate_hold_back(struct way *way, struct backlog *backlog);
void gate_let_through(struct way *way);

// Lets the oldest entry of the backlog into its server. False: there is none.
bool gate_pass_backlog(struct backlog *backlog);

// The connection has reached its server, on this descriptor.
void gate_connected(struct connection *connection, int fd);

// The connection with this number, or NULL if it is gone.
struct connection *gate_connection(const struct gate *gate, int number);

// The connection with the lowest number on which a request, an answer or a
// message is on its way, leaving out number `except` (0: none). NULL if there
// is none. A request that waits in the server is not on its way.
struct connection *gate_pending(const struct gate *gate, int except);

// Does the client wait for an answer on one of its connections, or listen?
bool gate_blocks(const struct gate *gate);

// Lets the held request through: STAGE_HELD -> STAGE_RUNNING. It becomes
// STAGE_ANSWERED in a later turn of the loop, when the server has answered.
void gate_forward(struct connection *connection);

// Delivers the held answer: STAGE_ANSWERED -> STAGE_QUIET, or STAGE_HELD if the
// client had sent another request already. In any other stage, or if a pushed
// message came first, delivers that message; the stage stays as it is.
void gate_deliver(struct connection *connection);

// Would gate_deliver() deliver the answer?
bool gate_delivers_answer(const struct connection *connection);

// Can a request wait in the server, or the server push a message, on a
// connection of this way?
bool gate_hears_late(const struct way *way);

// The number of connections on this way on which the server has nothing to do.
int gate_count_idle(const struct way *way);

// Does the server have a request of this way's, or a connection that it has not
// let in yet?
bool gate_has_work(const struct way *way);

// The server is done with its work, so its unanswered requests wait in it:
// STAGE_RUNNING -> STAGE_BLOCKED, where that is possible.
void gate_block(struct way *way);

// Has the server closed a connection on which nothing is on its way any more?
bool gate_has_ended(const struct gate *gate);

// Breaks such connections; true if there were any. Call it while the client
// sleeps: a running client may or may not send its next request before it
// notices the end.
bool gate_drop_ended(struct gate *gate);

// Breaks one connection. A request or an answer on its way is lost.
void gate_cut(struct connection *connection);

// Closes the client's end only. A request on its way to the server can still
// arrive.
void gate_abandon(struct connection *connection);

// Tells the server of the client's end, after all that the client has sent.
void gate_say_end(struct connection *connection);

#endif
