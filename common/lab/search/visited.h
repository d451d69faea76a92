// The visited set: all positions that the search has seen. Each entry has its
// parent, the position from which it was reached first, and the move from
// there. So the entries form a tree.
#ifndef VISITED_H
#define VISITED_H

#include "position.h"

// Begins with one position: the one that these moves lead to.
void visited_begin(const struct move *prefix, int length,
                   struct fingerprint fingerprint);
void visited_forget(void);

// Adds a position. False if it was there already; else its number is
// visited_count() - 1.
bool visited_add(uint32_t parent, const struct move *move,
                 struct fingerprint fingerprint);
uint32_t visited_count(void);

// This position will be added soon: what decides whether it is new is fetched
// from memory in two steps, as in base/map.h.
void visited_prefetch(struct fingerprint fingerprint);
void visited_prefetch_more(struct fingerprint fingerprint);

// The number of a position that was added.
uint32_t visited_number(struct fingerprint fingerprint);

// The number of moves from the beginning to a position.
int visited_depth(uint32_t number);

// The moves from the beginning to this position, and then `last`. The caller
// frees them.
struct move *visited_moves(uint32_t number, const struct move *last);

size_t visited_bytes(void);

#endif
