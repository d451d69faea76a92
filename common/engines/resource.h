// The resource that the lock protects: the outcome of a write to it.
#ifndef ENGINES_RESOURCE_H
#define ENGINES_RESOURCE_H

#include <stdbool.h>

enum write {
    WRITE_NONE,    // it is no write to the resource, or nothing has come of it
    WRITE_TAKEN,   // the resource is written, and nothing in the request says
                   // to which hold of the lock the write belongs
    WRITE_FENCED,  // the resource is written, with a fencing token
    WRITE_REFUSED, // the resource said no: its fencing token is too small
};

static inline bool write_is_taken(enum write write) {
    return write == WRITE_TAKEN || write == WRITE_FENCED;
}

#endif
