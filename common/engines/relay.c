#include "relay.h"

#include "base/fail.h"
#include "machine/loopback.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void forget_flow(struct relay_flow *flow) {
    loop_close(&flow->room);
    free(flow->rest.at);
    flow->rest = (struct bytes){0};
}

// If one side of a line is closed, the other one is closed, too, when it has
// taken what was on its way.
static void break_line(struct relay_line *line) {
    forget_flow(&line->down);
    forget_flow(&line->up);
    loop_close(&line->replica);
    loop_close(&line->master);
}

static void end_flow(struct relay_flow *flow) {
    loop_pause(flow->from);
    flow->ended = true;
}

static void room_again(void *owner);

// Sends what there is room for.
static void send_rest(struct relay_flow *flow) {
    struct relay_flow *down = &flow->line->down, *up = &flow->line->up;
    ssize_t sent = 0;

    while (flow->rest.length > 0) {
        sent = send(flow->to->fd, flow->rest.at, flow->rest.length,
                    MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0)
            break;
        bytes_drop(&flow->rest, (size_t)sent);
    }
    if (sent < 0 && errno != EAGAIN) {
        forget_flow(flow); // nobody is there who takes it
        end_flow(flow);
    }
    if (flow->rest.length > 0 && flow->room.fd < 0)
        loop_watch_room(&flow->room, fcntl(flow->to->fd, F_DUPFD_CLOEXEC, 0),
                        room_again, flow);
    if (flow->rest.length == 0)
        loop_close(&flow->room);
    if ((down->ended || up->ended) && down->rest.length == 0 &&
        up->rest.length == 0)
        break_line(flow->line);
}

static void room_again(void *owner) {
    send_rest(owner);
}

static void pass(struct relay_flow *flow) {
    char bytes[16384];
    ssize_t length = read(flow->from->fd, bytes, sizeof bytes);

    if (length > 0) {
        bytes_add(&flow->rest, bytes, (size_t)length);
    } else {
        end_flow(flow);
    }
    send_rest(flow);
}

static void from_master(void *owner) {
    struct relay_line *line = owner;
    pass(&line->down);
}

static void from_replica(void *owner) {
    struct relay_line *line = owner;
    pass(&line->up);
}

static void open_line(struct relay_line *line, int replica, int master) {
    line->down = (struct relay_flow){.line = line, .from = &line->master,
                                     .to = &line->replica, .room.fd = -1};
    line->up = (struct relay_flow){.line = line, .from = &line->replica,
                                   .to = &line->master, .room.fd = -1};
    loop_watch(&line->replica, replica, from_replica, line);
    loop_watch(&line->master, master, from_master, line);
}

static void accept_replica(void *owner) {
    struct relay *relay = owner;
    int fd = accept4(relay->listener.fd, NULL, NULL, SOCK_CLOEXEC);
    int i = 0;

    if (fd < 0)
        return;
    while (i < RELAY_LINES && relay->lines[i].replica.fd >= 0)
        i++;
    if (i == RELAY_LINES)
        fail("a replica connects more than %d times at once",
             RELAY_LINES);
    // If the master accepts no connection, the replica will try again.
    int upstream = door_connect(relay->master, SOCK_NONBLOCK);
    if (upstream < 0) {
        close(fd);
        return;
    }
    open_line(&relay->lines[i], fd, upstream);
}

struct relay *relay_open(struct door *master, int *port) {
    struct relay *relay = must_have(calloc(1, sizeof *relay));
    int fd;

    *port = 0; // any
    fd = loopback_listen(port);
    relay->master = master;
    for (int i = 0; i < RELAY_LINES; i++) {
        struct relay_line *line = &relay->lines[i];
        line->replica.fd = line->master.fd = -1;
        line->down.room.fd = line->up.room.fd = -1;
    }
    loop_watch(&relay->listener, fd, accept_replica, relay);
    return relay;
}

void relay_shut(struct relay *relay) {
    loop_close(&relay->listener);
    for (int i = 0; i < RELAY_LINES; i++)
        break_line(&relay->lines[i]);
    free(relay);
}

// The connections stay open, so that neither side notices. After a minute both
// give up, and the replica connects again: the relay does not accept it.
void relay_hold(struct relay *relay) {
    loop_pause(&relay->listener);
    for (int i = 0; i < RELAY_LINES; i++) {
        loop_pause(&relay->lines[i].replica);
        loop_pause(&relay->lines[i].master);
        loop_pause(&relay->lines[i].down.room);
        loop_pause(&relay->lines[i].up.room);
    }
}

bool relay_has_read(const struct relay *relay) {
    for (int i = 0; i < RELAY_LINES; i++) {
        const struct relay_line *line = &relay->lines[i];
        struct pollfd master = {.fd = line->master.fd, .events = POLLIN};
        if (!line->down.ended && poll(&master, 1, 0) > 0)
            return false;
    }
    return true;
}
