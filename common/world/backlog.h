// The backlog: a queue of all traffic from clients to a stopped server.
//
// Without it the traffic would wait in the server's sockets. A server of one
// thread reads them in the order of their first bytes. A server of several
// threads reads all of them at once when it goes on, in an order that is not
// known. So for such a server the traffic waits here, in the order in which it
// was sent: new connections, bytes, and the ends of connections. When the
// server goes on, the gate takes one entry after the other out of the queue,
// and the server comes to rest after each. A slow network could do the same.
#ifndef BACKLOG_H
#define BACKLOG_H

#include <stdbool.h>
#include <stddef.h>

struct connection;
struct door;

// A connection whose traffic goes into the queue.
struct backlogged {
    struct backlog *backlog;
    struct connection *connection; // NULL: the gate has cut it
    struct door *door;
    int fd;        // to the server, once the gate has cut it; -1: none
    size_t queued; // entries of this connection
};

struct backlog_entry {
    enum { BACKLOG_CONNECT, BACKLOG_BYTES, BACKLOG_END } kind;
    struct backlogged *of;
    char *bytes; // the caller of backlog_take() frees them
    size_t length;
};

struct backlog *backlog_open(void);

// Frees the queue and every entry in it.
void backlog_close(struct backlog *backlog);

// From now on this connection's traffic goes into the queue. If the server does
// not have the connection yet, it becomes the first entry.
struct backlogged *backlog_join(struct backlog *backlog,
                                struct connection *connection,
                                struct door *door, bool connected);

// Puts bytes from the gate into the queue.
void backlog_send(struct backlogged *of, const char *bytes, size_t length);

// Puts the end of the connection into the queue, with the gate's socket to the
// server (-1: there is none).
void backlog_leave(struct backlogged *of, int fd);

// Is an entry of this connection in the queue? (NULL: no, its server is not
// stopped.)
bool backlog_has(const struct backlogged *of);

// Takes the oldest entry out. False: the queue is empty.
bool backlog_take(struct backlog *backlog, struct backlog_entry *entry);

#endif
