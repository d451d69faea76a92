// TCP ports on the loopback, for programs that cannot use a Unix socket.
#ifndef LOOPBACK_H
#define LOOPBACK_H

#include <sched.h>
#include <stdbool.h>

// Returns a listening, non-blocking socket at *port. If *port is 0, the kernel
// chooses a port, and *port is set to it. The caller closes the socket.
int loopback_listen(int *port);

// The same in a process that must not fail: -1, and errno says why. A process
// that uses such a socket notes that.
int loopback_try(int *port);
void loopback_note_use(void);

// Has this process, or the one that has made it, listened there?
bool loopback_is_used(void);

// Returns when all bytes have arrived that were sent over the loopback until
// now, on these cores and by this process. (A Unix socket delivers bytes at
// once. On the loopback the kernel puts them into a queue of the sender's core.
// It works that off when it has time: on a busy machine the sender may sleep by
// then. Bytes that the kernel keeps back, to send them with more, are in no
// queue: gates and libraries switch that off by TCP_NODELAY.)
void loopback_flush(const cpu_set_t *cores);

#endif
