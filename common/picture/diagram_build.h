// The steps in which diagram_open() builds a diagram, in this order.
#ifndef DIAGRAM_BUILD_H
#define DIAGRAM_BUILD_H

#include "diagram.h"

// Finds the arrows.
void diagram_find_arrows(struct diagram *diagram);

// Finds the stays of clients inside a lock, and where stays overlap.
void diagram_find_stays(struct diagram *diagram);

// "A and B are both inside"; the caller frees it.
char *diagram_overlap_text(const struct diagram *diagram,
                           const struct diagram_overlap *overlap);

// Does the message that was sent with this entry arrive, now or later?
bool diagram_arrives(const struct diagram *diagram, size_t from);

// Writes the rows, and gives each entry its place.
void diagram_write_rows(struct diagram *diagram);

#endif
