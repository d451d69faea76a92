// A table of text: columns as wide as they need, as far as the page allows;
// what does not fit is wrapped inside its column.
#ifndef TABLE_H
#define TABLE_H

#include <stdio.h>

// How wide a page of text is, in characters.
enum { PAGE_WIDTH = 100 };

// How wide a page on `out` is: PAGE_WIDTH, or less, down to 60, where `out` is
// a terminal that is narrower. Where it is none, the page is the same
// everywhere.
int page_width(FILE *out);

struct table;

// The first `fixed` columns are never wrapped.
struct table *table_open(int columns, int fixed);
void table_close(struct table *table);

// The first column is set to the right, the others to the left.
void table_head(struct table *table, int column, const char *text);
void table_row(struct table *table);
void table_cell(struct table *table, int column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// A line across all columns.
void table_line(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The same, and never wrapped: bytes, in which every space counts.
void table_whole_line(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// In the current row, from this column on to the end of the page.
void table_span(struct table *table, int column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void table_print(const struct table *table, FILE *out, int width);

// Prints text in lines of at most `width`.
void table_wrap(FILE *out, const char *text, int width);

// The same where so many columns are printed already; the lines after the first
// begin there, too.
void table_wrap_from(FILE *out, const char *text, int width, int column);

#endif
