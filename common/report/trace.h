// The trace: a race as a student reads it. docs/trace.md explains it.
#ifndef TRACE_H
#define TRACE_H

#include "record.h"

#include <stdbool.h>
#include <stdio.h>

// Prints the whole record: head, rows, verdict. `wire` adds the bytes.
void trace_print(FILE *out, const struct record *record, bool wire);

// Only the rows and, above them, the names of the columns; fitted into `width`
// if that is possible.
void trace_print_rows(FILE *out, const struct record *record, bool wire,
                      int width);

#endif
