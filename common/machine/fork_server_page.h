// The protocol between the world and a fork server: orders on a socket.
#ifndef FORK_SERVER_PAGE_H
#define FORK_SERVER_PAGE_H

// Environment variable: the fork server's end of the socket, a descriptor.
#define FORK_SERVER_VARIABLE "LOCKSTEP_FORK_SERVER"

// An order is one packet: the new process's variables, and its standard input
// and output. If its standard error is not the fork server's, that follows. It
// is answered with the process number, a pid_t.
enum { FORK_SERVER_ORDER = 4096, FORK_SERVER_FILES = 3 };

// Called by the preloaded library before main(). If this process is not to be a
// fork server, it returns at once. Otherwise it never returns in this process:
// it forks a new client for each order, and returns in each new client.
void fork_server_wait(void);

#endif
