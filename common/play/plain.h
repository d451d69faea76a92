// A game that is played in lines of text: for a pipe, for a simple terminal,
// for a screen reader.
#ifndef PLAIN_H
#define PLAIN_H

#include "hints.h"

// Plays until the player quits or the input ends.
void plain_play(struct game *game, struct hints *hints);

#endif
