// A home: where the clients with one name run, life after life. It can have a
// host (machine/host.h) and a fork server (machine/fork_server.h).
#ifndef HOME_H
#define HOME_H

#include "actor.h"
#include "machine/fork_server.h"
#include "machine/host.h"

#include <stdbool.h>

struct home {
    char name[8]; // empty: there is no home
    bool is_used; // by a client of this world
    struct host host;
    bool has_host;
    struct fork_server fork_server; // has the client's program loaded
    bool has_fork_server;
};

// Of homes, of which there are MAX_CLIENTS, the one with this name; without
// hosts there is one for all names. It is opened if it is new: in the place of
// one that is not used, if need be.
struct home *home_find(struct home *homes, const char *name, bool on_hosts);

// Sets the host in the setup of a client, and with `forks` a fork server, if
// the program can be loaded for it.
void home_prepare(struct home *home, struct actor_setup *setup, bool forks);

// Ends the fork server.
void home_unload(struct home *home);

void home_close(struct home *home);

// For a guest's next world, after its processes have ended. The home is kept if
// its fork server serves, and its host is untouched. (What one that has ended
// has started ends with its host.)
void home_tidy(struct home *home);

#endif
