// The trace: a race as a student reads it. docs/trace.md explains it.
#ifndef TRACE_H
#define TRACE_H

#include "record.h"

#include <stdbool.h>
#include <stdio.h>

// Prints the whole record: head, rows, verdict. `wire` adds the bytes. On a
// terminal in colour each client has its own; the characters are the same.
void trace_print(FILE *out, const struct record *record, bool wire);

// The same in two parts: up to this entry of the record, and from there on.
void trace_print_until(FILE *out, const struct record *record, bool wire,
                       size_t entry);
void trace_print_from(FILE *out, const struct record *record, bool wire,
                      size_t entry);

// Only the rows and, above them, the names of the columns; fitted into `width`
// if that is possible.
void trace_print_rows(FILE *out, const struct record *record, bool wire,
                      int width, bool colour);

#endif
