// The protocol between the world and a fork server: orders on a socket.
#ifndef FORK_SERVER_PAGE_H
#define FORK_SERVER_PAGE_H

// Environment variable: this process is to be a fork server, in the place that
// its value names. Its end of the socket is the descriptor FORK_SERVER_SOCKET.
// Each guest has the variable, and it is empty: so the environment of a copy,
// whose runtime may remember names, is that of any other.
#define FORK_SERVER_VARIABLE "LOCKSTEP_FORK_SERVER"
#define FORK_SERVER_BEFORE_MAIN "main"
#define FORK_SERVER_WHEN_LOADED "loaded"
enum { FORK_SERVER_SOCKET = 5 };

// A guest has this variable. It says that it is loaded by opening the file with
// this name. (A name of /dev/null that nobody else uses: so this works without
// a world, too.)
#define LOADED_VARIABLE "LOCK_LOADED"
#define LOADED_FILE "/dev/./null"

// An order is one packet: the new process's variables, its standard input,
// output and error, and its two pages (clock_page.h). The first variable is its
// mark (mark.h). The new process answers with a byte: its number comes with
// it (SO_PASSCRED), as the world sees it. If there is none, the fork server
// ends.
#define FORK_SERVER_MARK_VARIABLE "LOCKSTEP_MARK"
enum { FORK_SERVER_ORDER = 4096, FORK_SERVER_FILES = 5 };

#endif
