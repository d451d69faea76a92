// Writes to the resource, as far as a search has to look ahead at them. (The
// judge decides about their effect.)
#ifndef WRITES_H
#define WRITES_H

#include "position.h"

// Can a write still reach the resource? Where writes alone count, a position
// where none can has nothing to show any more.
bool writes_may_come(const struct position *position,
                     const struct bounds *bounds);

// Has another client got in since this one did? One that has not had a write
// taken since?
bool writes_is_stale(const struct position *position, int client);
bool writes_is_stale_to_silent(const struct position *position, int client);

// The order in which the last holds of all clients began: as numbers. In two
// positions with the same order the numbers are the same.
struct hold_order {
    int entry, claim;
};
struct hold_order writes_order(const struct position *position, int client);

#endif
