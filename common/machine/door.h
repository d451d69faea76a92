// The door of a server: its Unix socket, to which only this process can
// connect.
//
// A server puts its socket into the sandbox, where clients could find it. So we
// open the socket with O_PATH, which is a handle on the file and connects to
// nothing, and remove its name. From then on the only way to it is through
// /proc/self/fd, which is closed to others (arguments_hide()). And every
// connection is counted: a server that has accepted more has met somebody else.
#ifndef DOOR_H
#define DOOR_H

#include <stdbool.h>

// Closed: the descriptor is -1.
struct door {
    int fd;
    unsigned connections; // made since it was taken
};

// Takes the socket with this name, once the server has made it. False if it is
// not there yet. Those who hold the door of an earlier server at this place
// reach the new one from then on.
bool door_take(struct door *door, const char *path);
void door_close(struct door *door);
bool door_is_open(const struct door *door);

// Connects to the server; `flags` as for socket(), such as SOCK_NONBLOCK.
// Without that flag connecting and sending wait for PATIENCE_MS at most.
// Returns a descriptor, or -1 with the reason in errno.
int door_connect(struct door *door, int flags);

#endif
