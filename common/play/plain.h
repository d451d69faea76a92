// A game in lines: for a pipe, for a terminal that can do no more, for a reader
// aloud.
#ifndef PLAIN_H
#define PLAIN_H

#include "hints.h"

// Plays until the player quits or the input ends.
void plain_play(struct game *game, struct hints *hints);

#endif
