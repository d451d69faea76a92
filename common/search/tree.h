// The table of visited positions: which there were already, and by which moves
// each was come to first. Those are a tree: a position has a parent, and the
// move that led here from there.
#ifndef TREE_H
#define TREE_H

#include "position.h"

// The first position is the one that these moves lead to.
void tree_begin(const struct move *prefix, int length,
                struct fingerprint fingerprint);
void tree_forget(void);

// False if it was there already; else its number is the count less one.
bool tree_add(uint32_t parent, const struct move *move,
              struct fingerprint fingerprint);
uint32_t tree_count(void);

// How many moves lead to a position from the beginning.
int tree_depth(uint32_t number);

// Those moves, and one more. The caller frees them.
struct move *tree_moves(uint32_t number, const struct move *last);

size_t tree_bytes(void);

#endif
