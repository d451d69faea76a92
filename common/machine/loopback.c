#include "loopback.h"

#include "base/fail.h"
#include "base/patience.h"
#include "cores.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 16 };

static bool is_used;

int loopback_try(int *port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
        .sin_port = htons((in_port_t)*port),
    };
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int yes = 1;

    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    // Connections that are accepted here inherit this: the kernel sends small
    // writes at once and does not wait for more bytes.
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) < 0 ||
        listen(fd, BACKLOG) < 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) < 0)
        return -1;
    *port = ntohs(address.sin_port);
    return fd;
}

int loopback_listen(int *port) {
    int fd = loopback_try(port);

    if (fd < 0)
        fail("cannot open a port on the loopback: %s", strerror(errno));
    loopback_note_use();
    return fd;
}

void loopback_note_use(void) {
    is_used = true;
}

// --- what is under way -------------------------------------------------------

// Through it this process sends packets to itself. (A child would share its
// parent's, and could take what the parent waits for.)
static int own_socket(void) {
    static pid_t owner;
    static int fd = -1;
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    socklen_t size = sizeof address;

    if (owner == getpid())
        return fd;
    if (owner != 0)
        close(fd);
    owner = getpid();
    fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) < 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) < 0 ||
        connect(fd, (struct sockaddr *)&address, size) < 0)
        fail("cannot send to ourselves on the loopback: %s", strerror(errno));
    return fd;
}

// Our next packet has come. (An earlier one may come late.)
static bool has_come(int fd, uint64_t number) {
    uint64_t come = 0;

    while (recv(fd, &come, sizeof come, 0) == (ssize_t)sizeof come)
        if (come == number)
            return true;
    return false;
}

// The queue of the core on which we run: what was there before our packet has
// arrived when that has. The kernel may drop a packet; then we send another.
static void flush_core(void) {
    static uint64_t number;
    int fd = own_socket();
    struct pollfd arrival = {.fd = fd, .events = POLLIN};
    struct patience patience = {0};

    do {
        number++;
        if (send(fd, &number, sizeof number, 0) < 0)
            fail("cannot send to ourselves on the loopback: %s",
                 strerror(errno));
        if (has_come(fd, number))
            return;
        poll(&arrival, 1, 100);
        if (has_come(fd, number))
            return;
    } while (patience_lasts(&patience, PATIENCE_MS));
    fail("the loopback has delivered nothing for %d s", PATIENCE_MS / 1000);
}

bool loopback_is_used(void) {
    return is_used;
}

void loopback_flush(const cpu_set_t *cores) {
    core_on_each(cores, flush_core);
}
