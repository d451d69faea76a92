// The value under the lock's key, as an outsider sees it.
#ifndef LOCK_STATE_H
#define LOCK_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct lock_state {
    bool exists;
    char value[256];  // a string as it is, a hash as field=value,
                      // a list as [element, …]
    bool cut;         // there is more to it than value can show
    int64_t ttl_ms;   // what is left of the lease; -1: it has none
    bool with_holder; // it ends when its holder's session with the server ends;
                      // no outsider sees when that is
    bool with_connection; // it ends when its holder's connection ends
    int first, last;  // of a lock with a queue: the places of the first, who is
                      // shown as the value, and of the last. Who comes gets a
                      // higher place than any before. 0: there is no queue
    int behind;       // so many wait behind the first
    int64_t places;   // the sum of all their places, with that of the first
    bool alone;       // the server holds no other key
    bool down;        // the server does not run, and holds nothing
};

// Has the key been made between these two, or given another value?
bool lock_state_new_value(const struct lock_state *before,
                          const struct lock_state *now);

// Has somebody put himself into the queue, as the last or the first of it?
bool lock_state_joined(const struct lock_state *before,
                       const struct lock_state *now);

// Can the one in this place have left the queue, and others stayed? If several
// have left, nobody can say which.
bool lock_state_may_have_left(const struct lock_state *before,
                              const struct lock_state *now, int place);

// Has the key a new value, a longer lease, or its first one, or its queue
// another member? Time only gets less by itself.
bool lock_state_gained(const struct lock_state *before,
                       const struct lock_state *now);

// So many masters are a majority.
int lock_state_majority(int masters);

// Of several masters, what each of them holds now: the value that stands on a
// majority, and for how long it will; no lock, if no value does.
struct lock_state lock_state_on_majority(const struct lock_state *states,
                                         int masters);

#endif
