// Quiescence: after it nothing in the world moves by itself any more, so that
// whatever happens next is a choice.
#ifndef QUIESCENCE_H
#define QUIESCENCE_H

#include "actor.h"
#include "engines/engine.h"

// Runs the event loop until no server has a request that it can work on, and
// every client rests. If that takes longer than PATIENCE_MS, it fails the world
// and names the client or the server that does not come to rest.
void come_to_rest(struct actor *clients, int count, struct engine *engine);

#endif
