// The value under the lock's key, as an outsider sees it.
#ifndef LOCK_STATE_H
#define LOCK_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct lock_state {
    bool exists;
    char value[256];  // a string as it is, a hash as field=value,
                      // a list as [element, …]
    bool cut;         // the value is longer than this
    int64_t ttl_ms;   // rest of the lease; -1: it has none
    bool with_holder; // it ends with its holder's session on the server, at a
                      // time that no outsider sees
    bool with_connection; // it ends with its holder's connection
    int first, last;  // the first place in the lock's queue, whose client is
                      // the value, and the last. A newcomer gets a higher
                      // place than any before it. 0: there is no queue
    int behind;       // the number of clients behind the first
    int64_t places;   // the sum of all places in the queue
    bool alone;       // the server holds no other key
    bool down;        // the server does not run, and holds nothing
};

// Was the key made between these two states, or given another value?
bool lock_state_new_value(const struct lock_state *before,
                          const struct lock_state *now);

// Has a client joined the queue, at its end or as the first?
bool lock_state_joined(const struct lock_state *before,
                       const struct lock_state *now);

// May the client at this place have left the queue? (If several have left, it
// is not known which.)
bool lock_state_may_have_left(const struct lock_state *before,
                              const struct lock_state *now, int place);

// Has the lock gained anything between these two states: a value, a longer
// lease or its first one, a client in its queue?
bool lock_state_gained(const struct lock_state *before,
                       const struct lock_state *now);

// The number of masters that is a majority.
int lock_state_majority(int masters);

// The lock of several masters, from the state of each: the value on a majority,
// and for how long it will stand there. If no value stands on a majority, there
// is no lock.
struct lock_state lock_state_on_majority(const struct lock_state *states,
                                         int masters);

#endif
