// The later stage that answers a loss.
#ifndef ANSWER_H
#define ANSWER_H

#include "game.h"

// Is the game's lock a stage? (Else it is a detour or a guest.)
bool answer_is_known(const struct game *game);

// The game has just lost a property. Returns the number of the first later
// stage that keeps it when the game is played there; 0 if there is none.
int answer_find(const struct game *game, enum loss loss);

#endif
