#include "backlog.h"

#include "base/fail.h"
#include "base/list.h"
#include "gate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct backlogged {
    struct backlog *backlog;
    struct connection *connection; // NULL: the gate has cut it
    struct door *door;
    int fd;      // to the server, once the gate has cut it; -1: none
    int waiting; // things of its
};

enum kind { CONNECT, SEND, END };

struct thing {
    enum kind kind;
    struct backlogged *of;
    char *bytes; // SEND
    size_t length;
};

struct backlog {
    struct thing *things;
    size_t count, passed;
    struct backlogged **all;
    size_t connections;
};

struct backlog *backlog_open(void) {
    return must_have(calloc(1, sizeof(struct backlog)));
}

void backlog_close(struct backlog *backlog) {
    for (size_t i = backlog->passed; i < backlog->count; i++)
        free(backlog->things[i].bytes);
    for (size_t i = 0; i < backlog->connections; i++) {
        if (backlog->all[i]->fd >= 0)
            close(backlog->all[i]->fd);
        free(backlog->all[i]);
    }
    free(backlog->things);
    free(backlog->all);
    free(backlog);
}

static void add(struct backlogged *of, struct thing thing) {
    struct backlog *backlog = of->backlog;

    thing.of = of;
    of->waiting++;
    backlog->things = list_grow(backlog->things, backlog->count, sizeof thing);
    backlog->things[backlog->count++] = thing;
}

struct backlogged *backlog_join(struct backlog *backlog,
                                struct connection *connection) {
    struct backlogged *of = must_have(malloc(sizeof *of));

    *of = (struct backlogged){.backlog = backlog, .connection = connection,
                              .door = connection->way->door, .fd = -1};
    backlog->all = list_grow(backlog->all, backlog->connections, sizeof of);
    backlog->all[backlog->connections++] = of;
    if (connection->server.fd < 0)
        add(of, (struct thing){.kind = CONNECT});
    return of;
}

void backlog_send(struct backlogged *of, const char *bytes, size_t length) {
    char *copy = must_have(malloc(length));

    memcpy(copy, bytes, length);
    add(of, (struct thing){.kind = SEND, .bytes = copy, .length = length});
}

void backlog_leave(struct backlogged *of) {
    loop_pause(&of->connection->server);
    of->fd = of->connection->server.fd;
    of->connection->server.fd = -1;
    of->connection = NULL;
    add(of, (struct thing){.kind = END});
}

bool backlog_has(const struct backlogged *of) {
    return of->waiting > 0;
}

static void make_connection(struct backlogged *of) {
    int fd = door_connect(of->door, 0);

    if (!of->connection)
        of->fd = fd;
    else if (fd < 0)
        gate_cut(of->connection);
    else
        gate_connected(of->connection, fd);
}

// Who has been cut off by the server meanwhile sends to nobody.
static void deliver(struct backlogged *of, const struct thing *thing) {
    int fd = of->connection ? of->connection->server.fd : of->fd;

    for (size_t done = 0; fd >= 0 && done < thing->length;) {
        ssize_t sent = send(fd, thing->bytes + done, thing->length - done,
                            MSG_NOSIGNAL);
        if (sent < 0)
            return;
        done += (size_t)sent;
    }
}

static void end(struct backlogged *of) {
    if (of->fd >= 0)
        close(of->fd);
    of->fd = -1;
}

bool backlog_pass(struct backlog *backlog) {
    if (backlog->passed == backlog->count)
        return false;
    struct thing thing = backlog->things[backlog->passed++];
    thing.of->waiting--;
    switch (thing.kind) {
    case CONNECT: make_connection(thing.of); break;
    case SEND:    deliver(thing.of, &thing); break;
    case END:     end(thing.of); break;
    }
    free(thing.bytes);
    return true;
}
