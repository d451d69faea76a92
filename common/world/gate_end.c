// The ends of connections.
#include "gate.h"

#include <stdlib.h>
#include <sys/socket.h>

// Does the client wait for something on it, and so notice its end?
static bool is_waited_for(const struct connection *connection) {
    return connection->client.fd >= 0 &&
           (connection->enters || connection->listens ||
            connection->stage != STAGE_QUIET);
}

static void hang_up(struct connection *connection) {
    connection->gate->hung_up |= is_waited_for(connection);
    loop_close(&connection->client);
}

void gate_cut(struct connection *connection) {
    struct gate *gate = connection->gate;

    for (int i = 0; i < MAX_CONNECTIONS; i++)
        if (gate->connections[i] == connection)
            gate->connections[i] = NULL;
    hang_up(connection);
    if (connection->backlogged) {
        loop_pause(&connection->server);
        backlog_leave(connection->backlogged, connection->server.fd);
    } else {
        loop_close(&connection->server);
    }
    gate->format->close(connection->requests);
    gate->format->close(connection->answers);
    gate->format->close(connection->ahead);
    message_free(&connection->request);
    message_free(&connection->answer);
    message_free(&connection->push);
    message_free(&connection->last_push);
    for (size_t i = 0; i < connection->behind_count; i++)
        message_free(&connection->behind[i]);
    free(connection->behind);
    free(connection);
}

void gate_say_end(struct connection *connection) {
    if (!connection->gate->format->ends_matter || connection->server.fd < 0)
        return;
    shutdown(connection->server.fd, SHUT_WR);
    connection->said_end = true;
}

void gate_abandon(struct connection *connection) {
    connection->gate->unheard |= connection->stage != STAGE_QUIET;
    hang_up(connection);
    if (connection->stage == STAGE_ANSWERED)
        gate_say_end(connection);
    if (connection->stage == STAGE_QUIET)
        gate_cut(connection);
}

static bool has_ended(const struct connection *connection) {
    return connection && connection->stage == STAGE_QUIET &&
           !connection->pushed && connection->server.fd < 0 &&
           !backlog_has(connection->backlogged);
}

bool gate_has_ended(const struct gate *gate) {
    for (int i = 0; i < MAX_CONNECTIONS; i++)
        if (has_ended(gate->connections[i]))
            return true;
    return false;
}

bool gate_drop_ended(struct gate *gate) {
    bool some = false;

    for (int i = 0; i < MAX_CONNECTIONS; i++)
        if (has_ended(gate->connections[i])) {
            gate_cut(gate->connections[i]);
            some = true;
        }
    return some;
}
