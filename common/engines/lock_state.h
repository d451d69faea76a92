// What the server holds under the lock's key, as an outsider sees it.
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
    bool alone;       // the server holds no other key
    bool down;        // the server does not run, and holds nothing
};

#endif
