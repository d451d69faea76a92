#include "relay.h"

#include "base/fail.h"
#include "machine/loopback.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void break_line(struct relay_line *line) {
    loop_close(&line->replica);
    loop_close(&line->master);
}

// The line ends with either side. A replica that is behind may make us wait;
// it reads for as long as it lives.
static void pass(struct relay_line *line, int from, int to) {
    char bytes[16384];
    ssize_t length = read(from, bytes, sizeof bytes);

    if (length <= 0)
        break_line(line);
    for (ssize_t sent = 0; sent < length;) {
        ssize_t more =
            send(to, bytes + sent, (size_t)(length - sent), MSG_NOSIGNAL);
        if (more < 0) {
            break_line(line);
            return;
        }
        sent += more;
    }
}

static void from_master(void *owner) {
    struct relay_line *line = owner;
    pass(line, line->master.fd, line->replica.fd);
}

static void from_replica(void *owner) {
    struct relay_line *line = owner;
    pass(line, line->replica.fd, line->master.fd);
}

static void accept_replica(void *owner) {
    struct relay *relay = owner;
    struct sockaddr_un master = {.sun_family = AF_UNIX};
    int fd = accept4(relay->listener.fd, NULL, NULL, SOCK_CLOEXEC);
    int i = 0;

    if (fd < 0)
        return;
    while (i < RELAY_LINES && relay->lines[i].replica.fd >= 0)
        i++;
    if (i == RELAY_LINES)
        fail("a replica connects more than %d times at once",
             RELAY_LINES);
    int upstream = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    memcpy(master.sun_path, relay->master, sizeof relay->master);
    if (connect(upstream, (struct sockaddr *)&master, sizeof master) < 0) {
        close(upstream);
        close(fd);
        return;
    }
    relay->lines[i].relay = relay;
    loop_watch(&relay->lines[i].replica, fd, from_replica, &relay->lines[i]);
    loop_watch(&relay->lines[i].master, upstream, from_master,
               &relay->lines[i]);
}

int relay_open(struct relay *relay, const char *master) {
    int port = 0, fd = loopback_listen(&port);

    memset(relay, 0, sizeof *relay);
    memcpy(relay->master, master, strlen(master) + 1);
    for (int i = 0; i < RELAY_LINES; i++)
        relay->lines[i].replica.fd = relay->lines[i].master.fd = -1;
    loop_watch(&relay->listener, fd, accept_replica, relay);
    return port;
}

void relay_shut(struct relay *relay) {
    loop_close(&relay->listener);
    for (int i = 0; i < RELAY_LINES; i++)
        break_line(&relay->lines[i]);
}

// The connections stay, so that neither side notices. When a minute has passed
// both do, and the replica comes back: that waits at the door.
void relay_hold(struct relay *relay) {
    loop_pause(&relay->listener);
    for (int i = 0; i < RELAY_LINES; i++) {
        loop_pause(&relay->lines[i].replica);
        loop_pause(&relay->lines[i].master);
    }
}
