// The ways to a stopped server, which lead into its backlog.
#include "gate.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

void gate_hold_back(struct way *way, struct backlog *backlog) {
    way->backlog = backlog;
    for (int i = 0; i < MAX_CONNECTIONS; i++) {
        struct connection *connection = way->gate->connections[i];
        if (connection && connection->way == way)
            connection->backlogged =
                backlog_join(backlog, connection, way->door,
                             connection->server.fd >= 0);
    }
}

void gate_let_through(struct way *way) {
    way->backlog = NULL;
    for (int i = 0; i < MAX_CONNECTIONS; i++) {
        struct connection *connection = way->gate->connections[i];
        if (!connection || connection->way != way || !connection->backlogged)
            continue;
        bool waits = backlog_has(connection->backlogged);
        connection->backlogged = NULL;
        if (waits && connection->server.fd < 0)
            gate_cut(connection);
    }
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

// The bytes of a client whose connection the server has closed meanwhile are
// lost.
static void send_bytes(const struct backlog_entry *entry) {
    const struct backlogged *of = entry->of;
    int fd = of->connection ? of->connection->server.fd : of->fd;

    for (size_t done = 0; fd >= 0 && done < entry->length;) {
        ssize_t sent = send(fd, entry->bytes + done, entry->length - done,
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

bool gate_pass_backlog(struct backlog *backlog) {
    struct backlog_entry entry;

    if (!backlog_take(backlog, &entry))
        return false;
    switch (entry.kind) {
    case BACKLOG_CONNECT: make_connection(entry.of); break;
    case BACKLOG_BYTES:   send_bytes(&entry); break;
    case BACKLOG_END:     end(entry.of); break;
    }
    free(entry.bytes);
    return true;
}
