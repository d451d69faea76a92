// From the report of a run to what is remembered.
#ifndef LEARNING_H
#define LEARNING_H

#include "position.h"

// A report is about these moves, one after the other from the beginning; what
// clients and server did is remembered. NULL, or what did not agree with what
// was seen before, as a sentence: the run is not deterministic.
const char *learn_from_report(const struct bounds *bounds,
                              const struct move *moves,
                              size_t count, const char *report);

#endif
