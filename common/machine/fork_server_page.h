// The protocol between the world and a fork server: orders on a socket.
#ifndef FORK_SERVER_PAGE_H
#define FORK_SERVER_PAGE_H

// Environment variable: this process is to be a fork server. Its end of the
// socket is the descriptor FORK_SERVER_SOCKET.
#define FORK_SERVER_VARIABLE "LOCKSTEP_FORK_SERVER"
enum { FORK_SERVER_SOCKET = 5 };

// An order is one packet: the new process's variables, its standard input and
// output, and its two pages (clock_page.h). If its standard error is not the
// fork server's, that follows. The new process answers with a
// byte: its number comes with it (SO_PASSCRED), as the world sees it. If there
// is none, the fork server ends.
enum { FORK_SERVER_ORDER = 4096, FORK_SERVER_FILES = 5 };

// Called by the preloaded library before main(). If this process is not to be a
// fork server, it returns at once. Otherwise it never returns in this process:
// it forks a new client for each order, and returns in each new client.
void fork_server_wait(void);

#endif
