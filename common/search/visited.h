// The table of visited positions: which there were already, and by which moves
// each was come to first. Those are a tree: a position has a parent, and the
// move that led here from there.
#ifndef VISITED_H
#define VISITED_H

#include "position.h"

// The first position is the one that these moves lead to.
void visited_begin(const struct move *prefix, int length,
                   struct fingerprint fingerprint);
void visited_forget(void);

// False if it was there already; else its number is the count less one.
bool visited_add(uint32_t parent, const struct move *move,
                 struct fingerprint fingerprint);
uint32_t visited_count(void);

// How many moves lead to a position from the beginning.
int visited_depth(uint32_t number);

// Those moves, and one more. The caller frees them.
struct move *visited_moves(uint32_t number, const struct move *last);

size_t visited_bytes(void);

#endif
