// What clients send to a server that is stopped.
//
// It would wait in the server's sockets. A server of one thread reads its
// sockets in the order in which something came in. A server of several threads
// reads all of them at once when it goes on, and nobody can say which thread is
// the first. So for such a server everything waits here, in the order in which
// it was sent: new connections, bytes, and the ends of connections. When the
// server goes on, they come in one after the other, and the server comes to
// rest after each. A slow network could do the same.
#ifndef BACKLOG_H
#define BACKLOG_H

#include <stdbool.h>
#include <stddef.h>

struct connection;

// Of one server; of one connection to it.
struct backlog;
struct backlogged;

struct backlog *backlog_open(void);

// Frees it, and what has not come in.
void backlog_close(struct backlog *backlog);

// From now on this connection's bytes wait here. One that the server does not
// have yet waits itself.
struct backlogged *backlog_join(struct backlog *backlog,
                                struct connection *connection);

// The gate has something for the server.
void backlog_send(struct backlogged *of, const char *bytes, size_t length);

// The gate's connection is being cut: the server will be told of it here.
void backlog_leave(struct backlogged *of);

// Has something of this connection's not come in yet?
bool backlog_has(const struct backlogged *of);

// Lets the next thing in. False: there was none.
bool backlog_pass(struct backlog *backlog);

#endif
