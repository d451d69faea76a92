// TCP ports on the loopback, for programs that cannot use a Unix socket.
#ifndef LOOPBACK_H
#define LOOPBACK_H

#include <stdbool.h>

// Returns a listening, non-blocking socket at *port. If *port is 0, the kernel
// chooses a port, and *port is set to it. The caller closes the socket.
int loopback_listen(int *port);

// Returns when all that was sent over the loopback until now has arrived. (What
// is sent to a Unix socket is there at once. On the loopback the kernel puts it
// into a queue of the core on which its sender runs, and works that off when it
// has time: on a busy machine its sender may sleep by then.) Does nothing if
// this process listens nowhere on the loopback.
void loopback_flush(void);
bool loopback_listens(void);

#endif
