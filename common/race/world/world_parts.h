// What a world is made of: for world.c, which changes it, and world_look.c,
// which only looks.
#ifndef WORLD_PARTS_H
#define WORLD_PARTS_H

#include "client.h"
#include "cluster.h"
#include "nursery.h"
#include "world.h"

struct world {
    struct world_setup setup;
    struct cluster cluster;
    struct nursery nursery; // opened with the first client that it is for
    int primary;            // the server whose lock is looked at
    struct lock_state lock; // as last looked at
    int64_t looked_ns;      // and when that was
    struct client clients[MAX_CLIENTS];
    int client_count;
};

#endif
