// Ports on the loopback, for what cannot use a Unix socket.
#ifndef LOOPBACK_H
#define LOOPBACK_H

// A listening socket, not blocking. *port 0: the kernel chooses, and it is set;
// otherwise that one.
int loopback_listen(int *port);

#endif
