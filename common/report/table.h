// A table of text. Each column is as wide as its longest cell. If the page is
// too narrow for that, long cells are wrapped inside their columns.
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stdio.h>

// The width of a page of text, in characters.
enum { PAGE_WIDTH = 100 };

// The width of a page on `out`: PAGE_WIDTH; on a narrower terminal that of the
// terminal, but at least 60. In a file or a pipe it is always PAGE_WIDTH.
int page_width(FILE *out);

// The width of the terminal, but at least 60; INT_MAX in a file or a pipe: for
// a line that only a screen breaks.
int screen_width(FILE *out);

struct table;

// The first `fixed` columns are never wrapped.
struct table *table_open(int columns, int fixed);
void table_close(struct table *table);

// A table begins with its head and a first row. table_row() begins a new row.
// The cells of the first column are aligned to the right, all others to the
// left.
void table_head(struct table *table, int column, const char *text);
void table_row(struct table *table);
void table_cell(struct table *table, int column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Adds to a cell of the current row. In a cell, one such piece may be strong:
// it is bold where there is colour.
void table_add(struct table *table, int column, const char *text);
void table_add_strong(struct table *table, int column, const char *text);

// The colour of a column's head and cells (colour.h): it outlives the table.
void table_colour(struct table *table, int column, const char *colour);

// A line across all columns.
void table_line(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The same, dim where there is colour.
void table_dim_line(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The same, but never wrapped: for bytes, in which every space counts.
void table_whole_line(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// A text in the current row that reaches from this column to the end of the
// page.
void table_span(struct table *table, int column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Without colour the same characters are printed.
void table_print(const struct table *table, FILE *out, int width, bool colour);

// The number of rows so far, with the head.
size_t table_rows(const struct table *table);

// Only the rows from this one to before that one, as table_print() prints them.
void table_print_some(const struct table *table, FILE *out, int width,
                      bool colour, size_t from, size_t to);

// Prints text in lines of at most `width`.
void table_wrap(FILE *out, const char *text, int width);

// The same, for text from character `column` of a line that is printed already.
// The following lines are indented by as much.
void table_wrap_from(FILE *out, const char *text, int width, int column);

// The same, for text in a line that has `used` characters already. The
// following lines are not indented.
void table_wrap_after(FILE *out, const char *text, int width, int used);

#endif
