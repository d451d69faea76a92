// Which later stage answers a loss.
#ifndef ANSWER_H
#define ANSWER_H

#include "game.h"

// Is the game's lock a stage, and not a detour or a guest?
bool answer_is_known(const struct game *game);

// The number of the first later stage on which the game so far, which has just
// lost this, does not lose it; 0 if there is none.
int answer_find(const struct game *game, enum loss loss);

#endif
