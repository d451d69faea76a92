// The trace of a game so far: the rows that a replay of it would print.
#ifndef TRACE_ROWS_H
#define TRACE_ROWS_H

#include "game.h"
#include "race/race_run.h"

// The rows, each with its newline, fitted into `width` if that is possible.
// The first row has the names of the columns. The text is valid until the game
// changes or the rows are asked for in another width.
const char *trace_rows(struct game *game, int width);

// Why the game so far has lost this property: the half sentence that follows
// "Lost because " below a trace. NULL if another property was lost before. The
// caller frees it.
char *trace_cause(const struct game *game, enum loss loss);

// In a child: a race with a strict judge and so many clients, on which the
// game's moves are made again.
struct race *trace_race(const struct options *options, const char *lock,
                        int clients);

#endif
