// A fork server: starts the same program again and again, in a tenth of the
// time that a normal start takes.
#ifndef FORK_SERVER_H
#define FORK_SERVER_H

#include "process.h"

struct fork_server {
    struct process process; // loaded, and stopped before main()
    int socket;
};

// Loads the program argv[0] with this environment, in which the world's library
// must be preloaded. Every client that is started from here has this
// environment.
void fork_server_open(struct fork_server *fork_server, char *const argv[],
                      const struct variable *environment);
void fork_server_close(struct fork_server *fork_server);

// Starts a client, as process_start() does, with the program and the
// environment of the fork server, and with these variables added.
void fork_server_start(struct fork_server *fork_server, struct process *process,
                       const struct variable *environment);

#endif
