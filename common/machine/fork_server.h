// Starting the same program again and again, in a tenth of the time.
#ifndef FORK_SERVER_H
#define FORK_SERVER_H

#include "process.h"

struct fork_server {
    struct process process; // loaded, and stopped before main()
    int socket;
};

// Loads argv[0] with this environment. What follows from it must be the same
// for all who are started here; it needs the world's library.
void fork_server_open(struct fork_server *fork_server, char *const argv[],
                      const struct variable *environment);
void fork_server_close(struct fork_server *fork_server);

// As process_start(), with the program and the environment of the fork server;
// what is given here comes on top.
void fork_server_start(struct fork_server *fork_server, struct process *process,
                       const struct variable *environment);

#endif
