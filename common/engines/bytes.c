#include "bytes.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

void bytes_add(struct bytes *bytes, const char *more, size_t length) {
    bytes->at = must_have(realloc(bytes->at, bytes->length + length + 1));
    memcpy(bytes->at + bytes->length, more, length);
    bytes->length += length;
}

void bytes_drop(struct bytes *bytes, size_t length) {
    bytes->length -= length;
    memmove(bytes->at, bytes->at + length, bytes->length);
}

char *bytes_copy(const struct bytes *bytes, size_t length) {
    char *copy = must_have(malloc(length + 1));

    memcpy(copy, bytes->at, length);
    return copy;
}
