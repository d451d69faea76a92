// The choices of the real world (world/possible.h), held against the moves of a
// search from a position. Each has to be a move, unless a search leaves it out
// on purpose: left_out.c names those, with the reasons. So a
// move that is forgotten in moves.c is noticed. (A move that is not possible is
// noticed in any case, when it is run.)
#ifndef LEFT_OUT_H
#define LEFT_OUT_H

#include "position.h"

// `offered` is everything that was possible in the world at this position.
// Returns NULL if each of it is a move or is left out for a reason. Otherwise
// returns the first that is neither, as a step of a schedule: "A:wake". It
// stays until the next call.
const char *left_out_wrongly(const struct position *position,
                             const struct bounds *bounds,
                             const struct choice *offered, size_t count);

#endif
