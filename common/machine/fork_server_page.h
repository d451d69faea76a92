// What a fork server and the world agree on.
#ifndef FORK_SERVER_PAGE_H
#define FORK_SERVER_PAGE_H

// The number of the fork server's end of the socket.
#define FORK_SERVER_VARIABLE "LOCKSTEP_FORK_SERVER"

// An order is one packet: the new client's variables, and its standard input
// and output. It is answered with the process number, a pid_t.
enum { FORK_SERVER_ORDER = 4096, FORK_SERVER_FILES = 2 };

// The library's part. Returns at once where there is no fork server, and
// otherwise in every new client.
void fork_server_wait(void);

#endif
