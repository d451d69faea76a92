// The parts of a world: private to world.c, which changes them, to
// world_life.c, which makes and ends them, to world_look.c, which only reads
// them, and to possible.c.
#ifndef WORLD_PARTS_H
#define WORLD_PARTS_H

#include "actor.h"
#include "engines/engine.h"
#include "machine/fork_server.h"
#include "shown.h"
#include "world.h"

struct world {
    struct world_setup setup;
    char *second_key; // for clients with two locks
    struct engine *engine;
    struct fork_server fork_server; // for a world of many lives
    struct shown shown;
    bool touched;  // something was done to a server, not only by clients
    bool together; // several requests ran since the last choice
    struct actor clients[MAX_CLIENTS];
    int client_count;
};

#endif
