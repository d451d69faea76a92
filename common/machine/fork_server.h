// A fork server: starts the same program again and again, in a tenth of the
// time that a normal start takes.
//
// It waits in one of two places. A program in C is loaded before main(). A
// runtime such as Node.js needs most of its time after that, for itself and for
// its modules. So a guest can say when it is loaded, and is forked there.
#ifndef FORK_SERVER_H
#define FORK_SERVER_H

#include "process.h"

#include <stdbool.h>

struct fork_server {
    struct process process; // loaded, and waits
    int socket;
    bool ended; // by itself: it could not be loaded, or could not fork
};

enum fork_place { FORK_BEFORE_MAIN, FORK_WHEN_LOADED };

// Loads the program argv[0] with this environment, in which the world's library
// must be preloaded. Every client that is started from here has this
// environment.
void fork_server_open(struct fork_server *fork_server, enum fork_place place,
                      char *const argv[], const struct variable *environment);
void fork_server_close(struct fork_server *fork_server);

// Starts a client, as process_start() does, with the program and the
// environment of the fork server, and with these variables added. False: the
// fork server has ended.
bool fork_server_start(struct fork_server *fork_server, struct process *process,
                       const struct variable *environment);

#endif
