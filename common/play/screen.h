// A game on a terminal of its own: the trace above, what can happen next below.
#ifndef SCREEN_H
#define SCREEN_H

#include "hints.h"

// Plays until the player quits, or a signal asks for the end. The terminal has
// been taken (terminal.h).
void screen_play(struct game *game, struct hints *hints);

#endif
