// A list that grows: items, how many there are, and a little room after them.
#ifndef LIST_H
#define LIST_H

#include <stddef.h>

// Room for one more after `count` items of `size` bytes: returns the list,
// which
// may have moved. Its room is the next power of two, so nobody needs to note
// it: `count` has to have grown by one at a time. Ends the program where no
// memory is left.
void *list_grow(void *items, size_t count, size_t size);

#endif
