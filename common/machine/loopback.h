// TCP ports on the loopback, for programs that cannot use a Unix socket.
#ifndef LOOPBACK_H
#define LOOPBACK_H

#include <sched.h>
#include <stdbool.h>

// Returns a listening, non-blocking socket at *port. If *port is 0, the kernel
// chooses a port, and *port is set to it. The caller closes the socket.
int loopback_listen(int *port);

// Has this process, or the one that has made it, listened there?
bool loopback_is_used(void);

// Returns when that has arrived which was sent over the loopback on these cores
// until now, and by this process. (What is sent to a Unix socket is there at
// once. On the loopback the kernel puts it into a queue of the core on which
// its sender runs, and works that off when it has time: on a busy machine its
// sender may sleep by then. What the sender's kernel keeps back to send it with
// more, is in no queue: gates and libraries switch that off, by TCP_NODELAY.)
void loopback_flush(const cpu_set_t *cores);

#endif
