// The trace: a race as a student reads it. docs/trace.md explains it.
#ifndef TRACE_H
#define TRACE_H

#include "record.h"

#include <stdbool.h>
#include <stdio.h>

// Prints the whole record: head, rows, verdict. `wire` adds the bytes.
void trace_print(FILE *out, const struct record *record, bool wire);

// Only the rows, below the names of their columns, in so many columns if they
// can be had.
void trace_print_rows(FILE *out, const struct record *record, bool wire,
                      int width);

#endif
