// What can happen next in a world. This is the one place that decides it: a
// race, a replay and a game ask here before they make a choice, and world_do()
// asks in any case. (A search computes its positions without a world, from its
// own list of moves in search/moves.c. But whatever it runs for real passes
// through here too, so a difference between the two would be noticed.)
#ifndef POSSIBLE_H
#define POSSIBLE_H

#include "choice.h"

struct world;

// Why this choice cannot be made now, as a clause: "A is dead". NULL if it can
// be made. Valid until the next call.
const char *world_objection(const struct world *world,
                            const struct choice *choice);

#endif
