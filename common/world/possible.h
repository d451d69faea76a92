// The choices that a world has next. This is the one place that decides it: a
// race, a replay and a game ask here before they make a choice, and world_do()
// asks in any case. (A search computes its positions without a world, from its
// own list of moves in search/moves.c. All its real runs pass through here too.
// And explore --verify asks here for everything that is possible, and holds the
// search's list against it: search/left_out.h.)
#ifndef POSSIBLE_H
#define POSSIBLE_H

#include "choice.h"

struct world;

// Why this choice cannot be made now, as a clause: "A is dead". NULL if it can
// be made. Valid until the next call.
const char *world_objection(const struct world *world,
                            const struct choice *choice);

// Calls `take` for everything that can be done now, in a fixed order. A choice
// whose time or words are free (how far the clock moves, what an operator
// types) comes once.
void world_each_possible(const struct world *world,
                         void (*take)(void *argument,
                                      const struct choice *choice),
                         void *argument);

#endif
