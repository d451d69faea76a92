// How deep a client is inside a lock, from what it was told.
#ifndef DEPTH_H
#define DEPTH_H

#include "event.h"

// An operation is over. `depth` is how often the client has entered and not
// left. Whatever a release heard, its client has left; one that heard nothing
// is repeated, and has left once: `leaving` until then.
void depth_conclude(int *depth, bool *leaving, enum operation operation,
                    enum result result);

#endif
