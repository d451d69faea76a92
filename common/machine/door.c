#include "door.h"

#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

bool door_take(struct door *door, const char *path) {
    int fd = open(path, O_PATH | O_CLOEXEC);

    if (fd < 0)
        return false;
    unlink(path);
    door_close(door);
    *door = (struct door){.fd = fd};
    return true;
}

void door_close(struct door *door) {
    if (door->fd >= 0)
        close(door->fd);
    door->fd = -1;
}

bool door_is_open(const struct door *door) {
    return door->fd >= 0;
}

int door_connect(struct door *door, int flags) {
    static const struct timeval limit = {.tv_sec = PATIENCE_MS / 1000};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);

    if (fd < 0)
        fail("cannot make a socket: %s", strerror(errno));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d",
             door->fd);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) {
        door->connections++;
        return fd;
    }
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}
