// The trace of a game so far: the rows that a replay of it would print.
#ifndef TRACE_ROWS_H
#define TRACE_ROWS_H

#include "game.h"

// The rows, each with its newline, in so many columns if they can be had; the
// first one names them. Good until the game is changed or asked for another
// width.
const char *trace_rows(struct game *game, int width);

// Why the game so far has lost this, as below a trace: half a sentence after
// "Lost because ". NULL if something else was lost before it. The caller frees
// it.
char *trace_cause(const struct game *game, enum loss loss);

#endif
