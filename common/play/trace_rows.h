// The trace of a game so far: the rows that a replay of it would print.
#ifndef TRACE_ROWS_H
#define TRACE_ROWS_H

#include "game.h"

// The rows, each with its newline, in so many columns if they can be had; the
// first one names them. Good until the game is changed or asked for another
// width.
const char *trace_rows(struct game *game, int width);

#endif
