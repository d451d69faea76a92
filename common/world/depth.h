// How deep a client is inside a lock, from what it was told.
#ifndef DEPTH_H
#define DEPTH_H

#include "event.h"

// Updates *depth, how often the client has entered and not left, after an
// operation has ended. An attempt or a release that is told "lost" ends the hold
// with all its entries. A release counts as one leave, whatever its result. A
// release without an answer is repeated, and both together count as one leave:
// *leaving is true between the two.
void depth_conclude(int *depth, bool *leaving, enum operation operation,
                    enum result result);

#endif
