// Learns from the report of a run (run.h) what clients and server have done,
// and remembers it (memo.h).
#ifndef LEARNING_H
#define LEARNING_H

#include "position.h"

// Remembers what clients and server did in a run of these moves from this
// position. The position becomes the one after the moves. Returns NULL if that
// agrees with all earlier runs. Otherwise the run is not deterministic: returns
// a sentence that says what was different. (Or the report names something
// possible that no move is: then the sentence says that.)
const char *learn_from_report(const struct bounds *bounds,
                              const struct move *moves, size_t count,
                              const char *report, struct position *position);

#endif
