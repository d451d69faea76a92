// A game that is played in lines of text, on every terminal, through a pipe,
// and with a screen reader. Rejected: a game that takes the whole screen. It
// needed a library and a thousand lines, and the site has one with a mouse.
#ifndef PLAIN_H
#define PLAIN_H

#include "hints.h"

// Plays until the player quits or the input ends.
void plain_play(struct game *game, struct hints *hints);

#endif
