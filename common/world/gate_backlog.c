// While a server is stopped, what clients send it can wait in a backlog.
#include "gate.h"

void gate_hold_back(struct way *way, struct backlog *backlog) {
    way->backlog = backlog;
    for (int i = 0; i < MAX_CONNECTIONS; i++) {
        struct connection *connection = way->gate->connections[i];
        if (connection && connection->way == way)
            connection->late = backlog_join(backlog, connection);
    }
}

void gate_let_through(struct way *way) {
    way->backlog = NULL;
    for (int i = 0; i < MAX_CONNECTIONS; i++) {
        struct connection *connection = way->gate->connections[i];
        if (!connection || connection->way != way || !connection->late)
            continue;
        bool waits = backlog_has(connection->late);
        connection->late = NULL;
        if (waits && connection->server.fd < 0)
            gate_cut(connection);
    }
}

bool gate_is_late(const struct connection *connection) {
    return connection->late && backlog_has(connection->late);
}
