// A frontier: the positions of one depth of a search, packed.
//
// There are millions of them, and most of the time would go into writing them
// to memory that is new. But most of a position is as it was in the first one
// of the search. So only the words that differ are kept, and which ones these
// are. The positions of one depth are read while those of the next are written;
// then the memory of the first is used again.
#ifndef FRONTIER_H
#define FRONTIER_H

#include "position.h"

#include <stddef.h>
#include <stdint.h>

// All zero: empty. A position's place is where its first word stands; the first
// one has place 0.
struct frontier {
    uint64_t *words;
    size_t count; // of positions
    size_t end;   // behind the last one's words
    size_t most;  // what that was at most: so much memory is in use
    size_t room;
};

// The first position of the search, with which all others are compared.
void frontiers_begin(const struct position *first);

// `number`: in the visited set.
void frontier_add(struct frontier *frontier, uint32_t number,
                  const struct position *position);

// The number of the position at this place; copies the position itself; the
// place of the next one, which is frontier->end if there is none.
uint32_t frontier_number(const struct frontier *frontier, size_t place);
void frontier_copy(const struct frontier *frontier, size_t place,
                   struct position *position);
size_t frontier_next(const struct frontier *frontier, size_t place);

// How much memory is in use, in bytes: what is stored, or was before it was
// emptied.
size_t frontier_bytes(const struct frontier *frontier);

// Removes all positions, and keeps the memory; frees that, too.
void frontier_empty(struct frontier *frontier);
void frontier_free(struct frontier *frontier);

#endif
