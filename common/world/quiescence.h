// Coming to rest: nothing in the world moves by itself any more.
#ifndef QUIESCENCE_H
#define QUIESCENCE_H

#include "actor.h"
#include "engine.h"

// Turns the loop until no server has a request that it can work on, and every
// client rests. Fails the world, naming who does not, when that takes longer
// than anything here should.
void rest(struct actor *clients, int count, struct engine *engine);

#endif
