// A proxy between a server and its replica. It forwards bytes without reading
// them.
//
// Redis and MariaDB replicate over TCP only, and no server here has a port. So
// the relay has one, on the loopback, given by the kernel; behind it stands the
// master's Unix socket. Bytes that the relay holds back have left the master
// and have not reached the replica. If one side takes no more bytes (a replica
// that is stopped), the relay keeps the rest, however much that is. So what has
// left a server does not depend on the kernel's buffers.
#ifndef RELAY_H
#define RELAY_H

#include "bytes.h"
#include "machine/door.h"
#include "machine/loop.h"

#include <stdbool.h>

enum { RELAY_LINES = 8 };

// One direction of a line.
struct relay_flow {
    struct relay_line *line;
    struct watch *from, *to;
    struct bytes rest; // what `to` has not taken yet
    struct watch room; // open while there is a rest
    bool ended;        // nothing comes after the rest
};

struct relay_line {
    struct watch replica;
    struct watch master;
    struct relay_flow down, up; // from the master, from the replica
};

struct relay {
    struct door *master;
    struct watch listener;
    struct relay_line lines[RELAY_LINES];
};

// Opens one before this server and sets its port. The caller shuts it.
struct relay *relay_open(struct door *master, int *port);
void relay_shut(struct relay *relay);

// From now on nothing passes in either direction, on old lines or new ones.
void relay_hold(struct relay *relay);

// Has it read all that the master has sent? Not for one that is held.
bool relay_has_read(const struct relay *relay);

#endif
