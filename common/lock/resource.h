// The resource that the lock protects: the key "resource" on the same server.
//
// A resource can keep a late write out only if it takes part. It keeps the
// highest number under which it was written, in the key "resource:fence", and
// refuses a smaller one. It compares and writes in one script, so that nothing
// can come between the two.
#ifndef RESOURCE_H
#define RESOURCE_H

#include "lock.h"

// Writes under this fencing token. A write without one (NO_FENCE) is taken as
// it comes. LOCK_LOST: refused, because somebody has written under a higher
// number. Connects when it is needed first; one thread only.
enum lock_result resource_write(long long fence);

// The same by a resource that is not careful: it looks at the number with one
// command and writes with the next. Something can come between the two.
enum lock_result resource_write_apart(long long fence);

#endif
