#include "gate.h"

#include "base/fail.h"
#include "base/list.h"
#include "machine/loopback.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { BACKLOG = 16, CHUNK = 16384, MOST_UNANSWERED = 1 << 20 };

static struct sockaddr_un address_of(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, path, strlen(path) + 1);
    return address;
}

static int new_socket(int flags) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
    if (fd < 0)
        fail("cannot make a socket: %s", strerror(errno));
    return fd;
}

// A limit for send(), which waits until the other side has room in its buffer.
static void limit_waits(int fd) {
    static const struct timeval limit = {.tv_sec = PATIENCE_MS / 1000};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

// Sends the whole message. False if the other side is gone.
static bool send_all(const struct gate *gate, int fd, const char *to,
                     const struct message *message) {
    for (size_t done = 0; done < message->length;) {
        ssize_t sent = send(fd, message->bytes + done, message->length - done,
                            MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN)
            fail("%s has not taken %zu bytes of %s's connection within "
                 "%d s", to, message->length, gate->owner,
                 PATIENCE_MS / 1000);
        if (sent < 0)
            return false;
        done += (size_t)sent;
    }
    return true;
}

static void take_request(struct connection *connection) {
    struct gate *gate = connection->gate;

    switch (gate->format->cut(connection->requests, &connection->request)) {
    case CUT_MESSAGE:
        if (gate->format->is_farewell &&
            gate->format->is_farewell(&connection->request)) {
            message_free(&connection->request); // the end follows
            break;
        }
        connection->stage = STAGE_HELD;
        connection->reported = false;
        if (connection->server.fd < 0)
            gate_cut(connection); // the server is not there any more
        break;
    case CUT_MORE:
        break;
    case CUT_RUBBISH:
        fail("%s sent something that is not a request to the server",
             gate->owner);
    }
}

// To the server, or into its backlog. False if the server is gone.
static bool send_to_server(struct connection *connection,
                           const struct message *message) {
    if (!connection->backlogged)
        return send_all(connection->gate, connection->server.fd, "the server",
                        message);
    backlog_send(connection->backlogged, message->bytes, message->length);
    return true;
}

static void from_client(void *owner) {
    struct connection *connection = owner;
    struct gate *gate = connection->gate;
    char bytes[CHUNK];
    ssize_t length = read(connection->client.fd, bytes, sizeof bytes);

    if (length <= 0) {
        loop_close(&connection->client); // it is gone, or has given up
        gate_abandon(connection);
        return;
    }
    if (connection->enters) { // the greeting, until the client is let in
        const struct message greeting = {.bytes = bytes,
                                         .length = (size_t)length};
        if (!send_to_server(connection, &greeting))
            gate_cut(connection);
        return;
    }
    connection->unanswered += (size_t)length;
    if (connection->unanswered > MOST_UNANSWERED)
        fail("%s sends on and on and waits for no answer", gate->owner);
    gate->format->feed(connection->requests, bytes, (size_t)length);
    if (connection->stage == STAGE_QUIET)
        take_request(connection);
}

static void take_reply(struct connection *connection, struct message reply) {
    struct gate *gate = connection->gate;

    if (connection->stage != STAGE_RUNNING &&
        connection->stage != STAGE_BLOCKED)
        fail("the server speaks to %s without being asked", gate->owner);
    connection->answer = reply;
    connection->stage = STAGE_ANSWERED;
    if (connection->client.fd < 0)
        gate_say_end(connection);
    connection->reported = false;
    connection->in_transaction =
        gate->format->answered(&connection->request, &connection->answer);
    connection->listens |= gate->format->subscribes(&connection->request) &&
                           !connection->answer.is_error;
}

static void take_push(struct connection *connection, struct message push) {
    if (connection->pushed) {
        connection->behind = list_grow(connection->behind,
                                       connection->behind_count, sizeof push);
        connection->behind[connection->behind_count++] = push;
        return;
    }
    connection->push = push;
    connection->pushed = true;
    connection->push_first = connection->stage != STAGE_ANSWERED;
    connection->push_reported = false;
}

// Is the message a pushed one, which answers no request?
static bool is_pushed(const struct connection *connection,
                      const struct message *message) {
    const struct wire_format *format = connection->gate->format;

    return (connection->listens || format->marks_pushed) &&
           format->is_pushed(message);
}

// Takes the server's messages as far as there is room: one answer, and one
// pushed message, or all pushed ones that came before the answer.
static void take_answer(struct connection *connection) {
    struct gate *gate = connection->gate;

    while (connection->pushed ? connection->stage == STAGE_RUNNING
                              : connection->listens ||
                                    connection->stage != STAGE_ANSWERED) {
        struct message message = {0};
        switch (gate->format->cut(connection->answers, &message)) {
        case CUT_MESSAGE:
            break;
        case CUT_MORE:
            return;
        case CUT_RUBBISH:
            fail("the server's answer is not understood");
        }
        if (is_pushed(connection, &message))
            take_push(connection, message);
        else
            take_reply(connection, message);
    }
}

// Finds the newest pushed message, also behind others that are not held yet.
static void look_ahead(struct connection *connection) {
    const struct wire_format *format = connection->gate->format;
    struct message message = {0};

    while (format->cut(connection->ahead, &message) == CUT_MESSAGE) {
        if (is_pushed(connection, &message)) {
            message_free(&connection->last_push);
            connection->last_push = message;
            connection->last_push_reported = false;
        } else {
            message_free(&message);
        }
        message = (struct message){0};
    }
}

static void from_server(void *owner) {
    struct connection *connection = owner;
    struct gate *gate = connection->gate;
    char bytes[CHUNK];
    ssize_t length = read(connection->server.fd, bytes, sizeof bytes);

    if (length <= 0) {
        loop_close(&connection->server); // it is gone, or closed it
        if (connection->stage != STAGE_ANSWERED && !connection->pushed)
            gate_cut(connection); // what it has sent still arrives
        return;
    }
    if (connection->enters) {
        connection->enters = !gate->format->lets_in(connection->answers, bytes,
                                                    (size_t)length);
        const struct message greeting = {.bytes = bytes,
                                         .length = (size_t)length};
        if (!send_all(gate, connection->client.fd, "the client", &greeting))
            gate_cut(connection);
        return;
    }
    gate->format->feed(connection->answers, bytes, (size_t)length);
    gate->format->feed(connection->ahead, bytes, (size_t)length);
    take_answer(connection);
    look_ahead(connection);
}

// connect() waits until the server has room for one more connection that it has
// not accepted yet.
static int connect_to_server(const struct way *way) {
    int fd = door_connect(way->door, 0);

    if (fd < 0 && errno == EAGAIN)
        fail("the server has accepted no connection of %s's within %d s",
             way->gate->owner, PATIENCE_MS / 1000);
    return fd;
}

static struct connection *new_connection(struct way *way) {
    struct gate *gate = way->gate;
    int place = 0;

    while (place < MAX_CONNECTIONS && gate->connections[place])
        place++;
    if (place == MAX_CONNECTIONS)
        fail("%s has more than %d connections", gate->owner,
             MAX_CONNECTIONS);
    struct connection *connection =
        must_have(calloc(1, sizeof *connection));
    gate->connections[place] = connection;
    connection->gate = gate;
    connection->way = way;
    connection->number = ++gate->made;
    connection->requests = gate->format->open(REQUESTS);
    connection->answers = gate->format->open(ANSWERS);
    connection->ahead = gate->format->open(ANSWERS);
    connection->enters = gate->format->lets_in != NULL;
    connection->server.fd = -1;
    return connection;
}

void gate_connected(struct connection *connection, int fd) {
    loop_watch(&connection->server, fd, from_server, connection);
}

static void pair_connection(struct way *way, int listener) {
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

    if (fd < 0)
        return;
    limit_waits(fd);
    int upstream = way->backlog ? -1 : connect_to_server(way);
    if (upstream < 0 && !way->backlog) {
        close(fd);
        return;
    }
    struct connection *connection = new_connection(way);
    loop_watch(&connection->client, fd, from_client, connection);
    if (way->backlog)
        connection->backlogged =
            backlog_join(way->backlog, connection, way->door, false);
    else
        gate_connected(connection, upstream);
}

// --- ways --------------------------------------------------------------------

static void accept_connection(void *owner) {
    struct way *way = owner;
    pair_connection(way, way->listener.fd);
}

static void accept_port(void *owner) {
    struct way *way = owner;
    pair_connection(way, way->port_listener.fd);
}

static void open_port(struct way *way) {
    const struct host *host = way->gate->host;
    int fd = host ? host_listen(host, &way->port) : loopback_listen(&way->port);
    loop_watch(&way->port_listener, fd, accept_port, way);
}

bool gate_way_is_open(const struct way *way) {
    return !way->cut;
}

bool gate_is_open(const struct gate *gate) {
    for (int i = 0; i < gate->way_count; i++)
        if (gate_way_is_open(&gate->ways[i]))
            return true;
    return false;
}

static void open_listeners(struct way *way, bool port) {
    struct sockaddr_un address = address_of(way->path);
    int fd = new_socket(SOCK_NONBLOCK);

    unlink(way->path);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        listen(fd, BACKLOG) < 0)
        fail("cannot open a socket in %s: %s", sandbox_folder(),
             strerror(errno));
    loop_watch(&way->listener, fd, accept_connection, way);
    if (port)
        open_port(way);
}

static void close_listeners(struct way *way) {
    loop_close(&way->listener);
    loop_close(&way->port_listener);
}

static void follow_server(struct way *way) {
    bool listens = way->listener.fd >= 0;
    bool should = !way->cut && door_is_open(way->door);

    if (should && !listens)
        open_listeners(way, way->port != 0);
    if (!should && listens)
        close_listeners(way);
}

void gate_follow_servers(struct gate *gate) {
    for (int i = 0; i < gate->way_count; i++)
        follow_server(&gate->ways[i]);
}

void gate_reopen_way(struct way *way) {
    if (gate_way_is_open(way))
        fail("%s can be reached already", way->gate->owner);
    way->cut = false;
    follow_server(way);
}

void gate_reopen(struct gate *gate) {
    for (int i = 0; i < gate->way_count; i++)
        if (!gate_way_is_open(&gate->ways[i]))
            gate_reopen_way(&gate->ways[i]);
}

void gate_open(struct gate *gate, const char *owner,
               const struct wire_format *format, const struct host *host) {
    memset(gate, 0, sizeof *gate);
    gate->host = host;
    gate->format = format;
    snprintf(gate->owner, sizeof gate->owner, "%s", owner);
}

struct way *gate_add_way(struct gate *gate, const char *path, int server,
                         struct door *door, bool port) {
    struct way *way = &gate->ways[gate->way_count++];

    *way = (struct way){.gate = gate, .server = server, .door = door};
    way->listener.fd = way->port_listener.fd = -1;
    snprintf(way->path, sizeof way->path, "%s", path);
    open_listeners(way, port); // chooses the port
    follow_server(way);
    return way;
}

// (The name is not longer than what it stands for.)
static void hide(char *text, const char *hidden, const char *name) {
    for (char *at = text; (at = strstr(at, hidden));) {
        const char *rest = at + strlen(hidden);
        at = stpncpy(at, name, strlen(name));
        memmove(at, rest, strlen(rest) + 1);
    }
}

void gate_copy_words(const struct gate *gate, const char *words, char *copy,
                     size_t size) {
    char port[16]; // of five digits: as long as the name, or longer

    snprintf(copy, size, "%s", words);
    for (int i = gate->way_count - 1; i >= 0; i--) { // ".../gate" begins others
        snprintf(port, sizeof port, ":%d", gate->ways[i].port);
        if (strlen(port) >= strlen(":PORT"))
            hide(copy, port, ":PORT");
        hide(copy, gate->ways[i].path, "SOCKET");
    }
}

struct way *gate_way_to(const struct gate *gate, int server) {
    for (int i = 0; i < gate->way_count; i++)
        if (gate->ways[i].server == server)
            return (struct way *)&gate->ways[i];
    return NULL;
}

void gate_lead_to(struct way *way, int server, struct door *door) {
    way->server = server;
    way->door = door;
}

void gate_shut_way(struct way *way) {
    struct gate *gate = way->gate;

    way->cut = true;
    close_listeners(way);
    for (int i = 0; i < MAX_CONNECTIONS; i++)
        if (gate->connections[i] && gate->connections[i]->way == way)
            gate_cut(gate->connections[i]);
}

void gate_shut(struct gate *gate) {
    for (int i = 0; i < gate->way_count; i++)
        gate_shut_way(&gate->ways[i]);
}

struct connection *gate_connection(const struct gate *gate, int number) {
    for (int i = 0; i < MAX_CONNECTIONS; i++)
        if (gate->connections[i] && gate->connections[i]->number == number)
            return gate->connections[i];
    return NULL;
}

static bool is_on_its_way(const struct connection *connection) {
    return connection->pushed || (connection->stage != STAGE_QUIET &&
                                  connection->stage != STAGE_BLOCKED);
}

struct connection *gate_pending(const struct gate *gate, int except) {
    struct connection *first = NULL;

    for (int i = 0; i < MAX_CONNECTIONS; i++) {
        struct connection *connection = gate->connections[i];
        if (connection && is_on_its_way(connection) &&
            connection->number != except &&
            (!first || connection->number < first->number))
            first = connection;
    }
    return first;
}

bool gate_blocks(const struct gate *gate) {
    for (int i = 0; i < MAX_CONNECTIONS; i++) {
        const struct connection *connection = gate->connections[i];
        if (connection && connection->client.fd >= 0 &&
            (connection->stage != STAGE_QUIET || connection->listens ||
             connection->enters))
            return true;
    }
    return false;
}

static bool may_wait(const struct connection *connection) {
    return connection->stage == STAGE_RUNNING &&
           connection->gate->format->may_wait(&connection->request);
}

bool gate_hears_late(const struct way *way) {
    for (int i = 0; i < MAX_CONNECTIONS; i++) {
        const struct connection *connection = way->gate->connections[i];
        if (connection && connection->way == way &&
            (connection->listens || connection->stage == STAGE_BLOCKED ||
             may_wait(connection)))
            return true;
    }
    return false;
}

static bool has_running(const struct connection *connection) {
    return connection->stage == STAGE_RUNNING ||
           connection->stage == STAGE_BLOCKED;
}

int gate_count_idle(const struct way *way) {
    int idle = 0;

    for (int i = 0; i < MAX_CONNECTIONS; i++) {
        const struct connection *connection = way->gate->connections[i];
        idle += connection && connection->way == way &&
                connection->server.fd >= 0 && !connection->enters &&
                !connection->said_end && !has_running(connection);
    }
    return idle;
}

bool gate_has_work(const struct way *way) {
    for (int i = 0; i < MAX_CONNECTIONS; i++) {
        const struct connection *connection = way->gate->connections[i];
        if (connection && connection->way == way &&
            !backlog_has(connection->backlogged) &&
            (connection->enters || has_running(connection)))
            return true;
    }
    return false;
}

void gate_block(struct way *way) {
    for (int i = 0; i < MAX_CONNECTIONS; i++) {
        struct connection *connection = way->gate->connections[i];
        if (!connection || connection->way != way || !may_wait(connection))
            continue;
        connection->stage = STAGE_BLOCKED;
        connection->reported = false;
        connection->was_blocked = true;
    }
}

void gate_forward(struct connection *connection) {
    static unsigned forwarded;

    connection->forwarded = ++forwarded;
    if (!send_to_server(connection, &connection->request))
        gate_cut(connection);
    else
        connection->stage = STAGE_RUNNING;
}

static void deliver_pushed(struct connection *connection) {
    if (!send_all(connection->gate, connection->client.fd, "the client",
                  &connection->push)) {
        gate_cut(connection);
        return;
    }
    message_free(&connection->push);
    connection->pushed = false;
    if (connection->behind_count > 0) {
        struct message next = connection->behind[0];
        connection->behind_count--;
        memmove(connection->behind, connection->behind + 1,
                connection->behind_count * sizeof next);
        take_push(connection, next);
        connection->push_first = true;
    }
    take_answer(connection);
}

bool gate_delivers_answer(const struct connection *connection) {
    return connection->stage == STAGE_ANSWERED &&
           !(connection->pushed && connection->push_first);
}

void gate_deliver(struct connection *connection) {
    if (!gate_delivers_answer(connection)) {
        deliver_pushed(connection);
        return;
    }
    connection->stage = STAGE_QUIET;
    connection->was_blocked = false;
    if (connection->client.fd < 0 ||
        !send_all(connection->gate, connection->client.fd, "the client",
                  &connection->answer)) {
        gate_cut(connection); // nobody is there to hear it
        return;
    }
    message_free(&connection->request);
    message_free(&connection->answer);
    connection->unanswered = 0;
    take_answer(connection);
    take_request(connection); // the last word: it may end the connection
}
