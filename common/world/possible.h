// What can happen next: the one answer to it. A race, a replay and a game all
// ask here before a choice is made, and world_do() asks for those that did not.
// (A search works its positions out without a world. Whatever it then runs for
// real passes here too, so its own list in search/moves.c is held against this
// one.)
#ifndef POSSIBLE_H
#define POSSIBLE_H

#include "choice.h"

struct world;

// Why this choice cannot be made now, as half a sentence: "A is dead". NULL: it
// can. Good until the next call.
const char *world_objection(const struct world *world,
                            const struct choice *choice);

#endif
