// TCP ports on the loopback, for programs that cannot use a Unix socket.
#ifndef LOOPBACK_H
#define LOOPBACK_H

// Returns a listening, non-blocking socket at *port. If *port is 0, the kernel
// chooses a port, and *port is set to it. The caller closes the socket.
int loopback_listen(int *port);

#endif
