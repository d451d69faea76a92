// What a server holds, as a text: a line "KEY TTL VALUE" for each key, the TTL
// in milliseconds from now, -1 for a key without one. Key and value are
// escaped: a line break stands as \x0a.
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "interned.h"

#include "engines/lock_state.h"

#include <stdbool.h>

// The lock in it. Stays.
const struct lock_state *snapshot_lock(text_id content);

// Does it hold more than the numbers that outlive a lock? These are kept under
// keys that end with ":fence".
bool snapshot_has_lock(text_id content);

// Until the first of its leases is over: the key is gone then; -1: none ends.
int64_t snapshot_next_end_ns(text_id content);

// Of the locks that stay.
size_t snapshot_bytes(void);

#endif
