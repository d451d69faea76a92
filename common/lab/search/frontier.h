// A frontier: the positions of one depth of a search, packed.
//
// There are millions of them. Kept whole, each takes two kilobytes, and to get
// that memory takes longer than to work out the position. But most of it is
// as it was in the first one of the search. So only the words that differ are
// kept, and which ones these are. (Fewer would differ from the position before
// it; but then that would have to be unpacked first.) The positions of one
// depth are read while those of the next are written; then the memory of the
// first is used again.
#ifndef FRONTIER_H
#define FRONTIER_H

#include "position.h"

#include <stddef.h>
#include <stdint.h>

// All zero but `first`: empty. A position's place is where its first word
// stands; that of the first position is 0.
struct frontier {
    const struct position *first; // of the search, not of this depth; the
                                  // caller's
    uint64_t *words;
    size_t count;   // of positions
    size_t end;     // behind the last one's words
    size_t longest; // the greatest `end` so far
    size_t room;
};

// `number`: in the visited set.
void frontier_add(struct frontier *frontier, uint32_t number,
                  const struct position *position);

// The number of the position at this place.
uint32_t frontier_number(const struct frontier *frontier, size_t place);

// Unpacks the position at this place.
void frontier_copy(const struct frontier *frontier, size_t place,
                   struct position *position);

// The place of the next position; frontier->end if there is none.
size_t frontier_next(const struct frontier *frontier, size_t place);

// The memory in bytes, also if the frontier was emptied since.
size_t frontier_bytes(const struct frontier *frontier);

// Removes all positions, and keeps the memory for others.
void frontier_empty(struct frontier *frontier);

// Frees the memory.
void frontier_free(struct frontier *frontier);

#endif
