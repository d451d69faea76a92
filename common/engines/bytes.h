// Bytes that have come in over a connection and are not used yet.
#ifndef BYTES_H
#define BYTES_H

#include <stddef.h>

struct bytes {
    char *at; // NULL at the start; free() it in the end
    size_t length;
};

// Adds bytes at the end; drops some at the beginning. Ends the program if no
// memory is left.
void bytes_add(struct bytes *bytes, const char *more, size_t length);
void bytes_drop(struct bytes *bytes, size_t length);

// A copy of the first ones. The caller frees it.
char *bytes_copy(const struct bytes *bytes, size_t length);

#endif
