// The depth of a client inside a lock, from its results.
#ifndef DEPTH_H
#define DEPTH_H

#include "event.h"

// Updates *depth, how often the client has entered and not left, after an
// operation has ended. An attempt or a release that is told "lost" ends the
// hold with all its entries. A release of the last entry counts as a leave,
// whatever its result. One of an inner entry that is answered with an error
// does not count. A release without an answer is repeated until there is one,
// and all of them together count as one leave: *leaving is true until then. A
// handle that was opened anew knows of no hold.
void depth_conclude(int *depth, bool *leaving, enum operation operation,
                    enum result result);

// Does this answer, after which the client is so deep inside, put it outside?
// "lost" does. But told to a thread that has not got in, it leaves the depth as
// it is, and the thread inside stays there.
bool depth_is_lost(enum operation operation, enum result result, int depth);

#endif
