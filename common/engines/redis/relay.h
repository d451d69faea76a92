// The line between a server and its replica: bytes, not commands.
//
// Redis replicates over TCP only, and no server here has a port. So the relay
// has one, on the loopback, given by the kernel; behind it stands the master's
// Unix socket. What the relay holds back has left the master and not reached
// the replica.
#ifndef RELAY_H
#define RELAY_H

#include "machine/loop.h"
#include "machine/sandbox.h"

enum { RELAY_LINES = 8 };

struct relay_line {
    struct relay *relay;
    struct watch replica;
    struct watch master;
};

struct relay {
    char master[SANDBOX_PATH_SIZE];
    struct watch listener;
    struct relay_line lines[RELAY_LINES];
};

// Opens it before the server at `master`; returns the port. Must stay where it
// is until it is shut.
int relay_open(struct relay *relay, const char *master);
void relay_shut(struct relay *relay);

// From now on nothing passes in either direction, on new lines neither.
void relay_hold(struct relay *relay);

#endif
