// A server's content as a text: a line "KEY TTL VALUE" for each key, the TTL
// in milliseconds from now, -1 for a key without one. Key and value are
// escaped: a line break stands as \x0a.
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "interned.h"

#include "engines/lock_state.h"

#include <stdbool.h>

// The content of several masters is one text, too: before each key is the
// number of its master, "2/lock". From now on texts are of so many.
void snapshot_masters(int masters);

// From now on there are so many locks: what is under the second one's keys is
// not the first one's.
void snapshot_locks(int locks);

// The same when this master, from 0, has lost everything.
text_id snapshot_without(text_id content, int master);

// Has this master's lock been made between these two, or given another value or
// a longer time?
bool snapshot_gained(text_id before, text_id after, int master);

// The lock in it; of several masters, what stands on a majority. Stays.
const struct lock_state *snapshot_lock(text_id content);

// The second lock in it.
const struct lock_state *snapshot_second(text_id content);

// Does the content have a first lock? Other keys are no lock: the resource
// under "resource", and numbers under keys that end with ":fence".
bool snapshot_has_lock(text_id content);

// Until the first of its leases is over: the key is gone then; -1: none ends.
int64_t snapshot_next_end_ns(text_id content);

// Of the locks that stay.
size_t snapshot_bytes(void);

#endif
