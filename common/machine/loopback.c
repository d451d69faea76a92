#include "loopback.h"

#include "base/fail.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

enum { BACKLOG = 16 };

int loopback_listen(int *port) {
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
        fail("cannot open a port on the loopback: %s", strerror(errno));
    *port = ntohs(address.sin_port);
    return fd;
}
