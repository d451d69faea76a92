// Why cells of a table were not run. Many of them may have the same reason.
#ifndef REASONS_H
#define REASONS_H

#include <stdbool.h>
#include "verdict_table.h"

#include <stddef.h>

// Zeroed: there are none.
struct reasons {
    struct reason {
        char *text;
        size_t first, count; // of such cells, counted row by row
    } *entries;
    size_t count;
};

// This cell of the table was not run.
void reasons_add(struct reasons *reasons, size_t cell, const char *text);

// On standard error, a line for each, in the order of their first cells.
void reasons_print(struct reasons *reasons, const struct verdict_table *table);

// As long as the longest line that a race writes about itself.
enum { REASON_SIZE = 4096 };

// Takes the line out of what the race has written in which it says why it has
// failed: "expired_delete: there is no …". False if it did not say why.
bool reasons_take(char reason[REASON_SIZE], char *errors, const char *race);

#endif
