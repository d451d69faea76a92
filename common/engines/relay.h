// A proxy between a server and its replica. It forwards bytes without reading
// them.
//
// Redis and MariaDB replicate over TCP only, and no server here has a port. So
// the relay has one, on the loopback, given by the kernel; behind it stands the
// master's Unix socket. Bytes that the relay holds back have left the master
// and have not reached the replica. If one side takes no more bytes (a replica
// that is stopped), the relay reads no more from the other side. Then the
// server that sends keeps the rest, as it would on a real network.
#ifndef RELAY_H
#define RELAY_H

#include "machine/door.h"
#include "machine/loop.h"

#include <stddef.h>

enum { RELAY_LINES = 8 };

enum { RELAY_CHUNK = 16384 };

// One direction of a line.
struct relay_flow {
    struct relay_line *line;
    struct watch *from, *to;
    struct watch room; // open while `to` has not taken all of `bytes`
    char bytes[RELAY_CHUNK];
    size_t length, sent;
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

#endif
