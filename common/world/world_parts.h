// The parts of a world: private to world.c, which changes them, to
// world_look.c, which only reads them, and to possible.c.
#ifndef WORLD_PARTS_H
#define WORLD_PARTS_H

#include "actor.h"
#include "engine.h"
#include "machine/fork_server.h"
#include "world.h"

struct world {
    struct world_setup setup;
    char *second_key; // for clients with two locks
    struct engine engine;
    struct fork_server fork_server; // for a world of many lives
    int primary; // the number of the server whose lock the world shows
    struct lock_state lock; // as last looked at
    struct lock_state second; // the other one of a client with two locks
    bool two_locks;           // there is such a client
    bool together;          // several requests ran since the last choice
    int64_t looked_ns;      // when they were looked at
    struct actor clients[MAX_CLIENTS];
    int client_count;
};

#endif
