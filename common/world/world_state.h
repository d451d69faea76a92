// The state of a world, private to five files. world.c changes it, world_life.c
// makes and ends it, world_look.c and possible.c only read it, and
// world_report.c reports events.
#ifndef WORLD_STATE_H
#define WORLD_STATE_H

#include "actor.h"
#include "base/paths.h"
#include "engines/engine.h"
#include "home.h"
#include "shown.h"
#include "world.h"

struct world {
    struct world_setup setup;
    char *second_key; // for clients with two locks
    char *place, *second_place; // under which these locks lie
    struct engine *engine;
    struct home homes[MAX_CLIENTS]; // of its clients
    bool forks; // there will be more lives: fork servers are worth their start
    bool guest_is_loaded; // a guest has said so: it can have a fork server
    char program[PATHS_SIZE];       // of the clients
    struct shown shown;
    struct backlog *backlog; // of a server that is stopped
    bool touched;  // something was done to a server that it does not forget
    bool together; // several requests ran since the last choice
    struct actor clients[MAX_CLIENTS];
    int client_count;
};

// --- world_report.c ----------------------------------------------------------

// Passes an event on to the watcher, with the time and the locks as they are
// shown now.
void world_report_event(struct world *world, struct event event);

// Reports an event of the message on this connection of the client.
void world_report_wire(struct world *world, enum event_kind kind, int client,
                       const struct connection *connection);

// Can the client reach all its servers, and do they serve?
bool world_reaches_all(const struct world *world, int client);

// Reports the operation that this choice starts.
void world_report_asked(struct world *world, const struct choice *choice);

// Reports all that has happened since the last choice.
void world_report(struct world *world);

#endif
