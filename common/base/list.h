// A list that grows: an array of items, and a count that its owner keeps.
#ifndef LIST_H
#define LIST_H

#include <stddef.h>

// Makes room for one more item after `count` items of `size` bytes. Returns the
// list, which may have moved; the caller frees it. The capacity is always a
// power of two and follows from `count`, so it is not stored anywhere. For
// that, `count` must grow by one at a time. Ends the program if no memory is
// left.
void *list_grow(void *items, size_t count, size_t size);

#endif
