#include "table.h"

#include "colour.h"

#include "base/fail.h"
#include "base/list.h"
#include "base/text.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum {
    MAX_COLUMNS = 16,
    GAP = 2,
    NARROWEST = 10,
    WIDE_ENOUGH = 18, // for a command on two lines
    INDENT = 2,
    NARROWEST_PAGE = 60, // on a narrower page a column is too narrow for a word
};

int screen_width(FILE *out) {
    struct winsize size = {0};

    // The call fails if `out` is no terminal. A terminal that does not know its
    // size says 0.
    if (ioctl(fileno(out), TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
        return INT_MAX;
    return size.ws_col < NARROWEST_PAGE ? NARROWEST_PAGE : size.ws_col;
}

int page_width(FILE *out) {
    int width = screen_width(out);
    return width > PAGE_WIDTH ? PAGE_WIDTH : width;
}

struct row {
    char *cells[MAX_COLUMNS];
    int strong[MAX_COLUMNS];        // in a cell, where the strong piece begins
    int strong_length[MAX_COLUMNS]; // 0: there is none
    char *line; // stands in place of the cells, or after some of them
    int from;   // the column in which the line begins
    bool whole; // the line is never wrapped
    bool dim;   // the line is
};

struct table {
    int columns;
    int fixed;
    const char *colours[MAX_COLUMNS]; // NULL: none
    struct row *rows; // the first is the head
    size_t row_count;
};

void table_row(struct table *table) {
    table->rows = list_grow(table->rows, table->row_count,
                            sizeof *table->rows);
    memset(&table->rows[table->row_count++], 0, sizeof *table->rows);
}

struct table *table_open(int columns, int fixed) {
    struct table *table = must_have(calloc(1, sizeof *table));
    table->columns = columns;
    table->fixed = fixed;
    table_row(table);
    return table;
}

void table_close(struct table *table) {
    for (size_t i = 0; i < table->row_count; i++) {
        for (int c = 0; c < table->columns; c++)
            free(table->rows[i].cells[c]);
        free(table->rows[i].line);
    }
    free(table->rows);
    free(table);
}

static struct row *last_row(struct table *table) {
    return &table->rows[table->row_count - 1];
}

static char *print(const char *format, va_list args) {
    char *text;
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    char *escaped = must_have(text_escaped(must_have(text)));
    free(text);
    return escaped;
}

void table_head(struct table *table, int column, const char *text) {
    table->rows[0].cells[column] = must_have(strdup(text));
}

void table_cell(struct table *table, int column, const char *format, ...) {
    va_list args;

    va_start(args, format);
    free(last_row(table)->cells[column]);
    last_row(table)->cells[column] = print(format, args);
    va_end(args);
}

void table_add(struct table *table, int column, const char *text) {
    char **cell = &last_row(table)->cells[column], *old = *cell;
    char *escaped = must_have(text_escaped(text));

    if (asprintf(cell, "%s%s", old ? old : "", escaped) < 0)
        *cell = must_have(NULL);
    free(escaped);
    free(old);
}

void table_add_strong(struct table *table, int column, const char *text) {
    struct row *row = last_row(table);
    char *old = row->cells[column];

    row->strong[column] = old ? (int)strlen(old) : 0;
    table_add(table, column, text);
    row->strong_length[column] =
        (int)strlen(row->cells[column]) - row->strong[column];
}

void table_colour(struct table *table, int column, const char *colour) {
    table->colours[column] = colour;
}

void table_span(struct table *table, int column, const char *format, ...) {
    va_list args;

    va_start(args, format);
    last_row(table)->line = print(format, args);
    last_row(table)->from = column;
    va_end(args);
}

static void add_line(struct table *table, bool whole, const char *format,
                     va_list args) {
    table_row(table);
    last_row(table)->line = print(format, args);
    last_row(table)->whole = whole;
}

void table_line(struct table *table, const char *format, ...) {
    va_list args;

    va_start(args, format);
    add_line(table, false, format, args);
    va_end(args);
}

void table_dim_line(struct table *table, const char *format, ...) {
    va_list args;

    va_start(args, format);
    add_line(table, false, format, args);
    va_end(args);
    last_row(table)->dim = true;
}

void table_whole_line(struct table *table, const char *format, ...) {
    va_list args;

    va_start(args, format);
    add_line(table, true, format, args);
    va_end(args);
}

// The number of characters of `text` for a line of this width: up to the last
// space that fits, or all that fit if there is no space.
static int fitting(const char *text, int width) {
    int length = (int)strlen(text);

    if (length <= width)
        return length;
    for (int i = width; i > 0; i--)
        if (text[i] == ' ')
            return i;
    return width;
}

static void print_coloured(FILE *out, const char *colour, const char *text,
                           int length) {
    if (colour)
        fprintf(out, "\033[%sm%.*s\033[0m", colour, length, text);
    else
        fprintf(out, "%.*s", length, text);
}

// Each line is in this colour; NULL: none.
static void wrap(FILE *out, const char *text, int width, int column,
                 const char *colour) {
    for (int indent = 0; *text; indent = column) {
        int length = fitting(text, width - column);
        fprintf(out, "%*s", indent, "");
        print_coloured(out, colour, text, length);
        fputc('\n', out);
        text += length;
        text += strspn(text, " ");
    }
}

void table_wrap_from(FILE *out, const char *text, int width, int column) {
    wrap(out, text, width, column, NULL);
}

void table_wrap(FILE *out, const char *text, int width) {
    table_wrap_from(out, text, width, 0);
}

void table_wrap_after(FILE *out, const char *text, int width, int used) {
    int length = fitting(text, width - used);

    fprintf(out, "%.*s\n", length, text);
    text += length;
    table_wrap(out, text + strspn(text, " "), width);
}

// The widths of the columns on a page.
struct layout {
    int widths[MAX_COLUMNS];
    bool stairs; // a text may reach over the columns beside it that are empty
    bool colour;
};

// Makes the widest columns narrower until all fit the page.
static void shrink(const struct table *table, int excess, int widths[]) {
    for (; excess > 0; excess--) {
        int widest = table->fixed;
        for (int c = widest + 1; c < table->columns; c++)
            if (widths[c] > widths[widest])
                widest = c;
        if (widths[widest] <= NARROWEST)
            return;
        widths[widest]--;
    }
}

static bool is_cramped(const struct table *table, const int natural[],
                       const int widths[]) {
    for (int c = table->fixed; c < table->columns; c++)
        if (widths[c] < natural[c] && widths[c] < WIDE_ENOUGH)
            return true;
    return false;
}

// With many clients, columns beside each other are too narrow for a command.
// But in most rows one client acts. So the last column is wide, and the others
// are steps: a text begins in its own, and reaches over the next ones.
static void build_stairs(const struct table *table, const int natural[],
                         int width, int widths[]) {
    int last = table->columns - 1, steps = last - table->fixed;
    int room = width - steps * (NARROWEST + GAP);

    for (int c = 0; c < table->fixed; c++)
        room -= widths[c] + GAP;
    if (room < NARROWEST)
        room = NARROWEST;
    widths[last] = natural[last] < room ? natural[last] : room;
    for (int c = table->fixed; c < last; c++)
        widths[c] = NARROWEST + (room - widths[last]) / steps;
}

// Each column is as wide as its text, if all fit the page.
static void measure(const struct table *table, int width,
                    struct layout *layout) {
    int total = GAP * (table->columns - 1), natural[MAX_COLUMNS] = {0};

    for (int c = 0; c < table->columns; c++) {
        for (size_t i = 0; i < table->row_count; i++) {
            const char *cell = table->rows[i].cells[c];
            int length = cell ? (int)strlen(cell) : 0;
            if (length > natural[c])
                natural[c] = length;
        }
        total += natural[c];
    }
    memcpy(layout->widths, natural, sizeof natural);
    shrink(table, total - width, layout->widths);
    layout->stairs = table->columns - table->fixed > 3 &&
                     is_cramped(table, natural, layout->widths);
    if (layout->stairs)
        build_stairs(table, natural, width, layout->widths);
}

// The room for a text in this column.
static int room_for(const struct table *table, const struct layout *layout,
                    const char *const rest[], int column) {
    int room = layout->widths[column];

    if (layout->stairs && column >= table->fixed)
        for (int c = column + 1; c < table->columns && !*rest[c]; c++)
            room += GAP + layout->widths[c];
    return room;
}

// A piece of a cell, in the cell's colour and with what is strong in bold.
static void print_piece(const struct table *table, const struct row *row,
                        int column, FILE *out, const char *piece, int length) {
    int from = (int)(piece - row->cells[column]);
    int strong = row->strong[column] - from;
    int strong_end = strong + row->strong_length[column];
    const char *colour = table->colours[column];

    strong = strong < 0 ? 0 : strong < length ? strong : length;
    strong_end = strong_end < strong ? strong
                 : strong_end < length ? strong_end : length;
    if (colour)
        fprintf(out, "\033[%sm", colour);
    fprintf(out, "%.*s", strong, piece);
    if (strong_end > strong)
        fprintf(out, "\033[1m%.*s\033[22m", strong_end - strong,
                piece + strong);
    fprintf(out, "%.*s", length - strong_end, piece + strong_end);
    if (colour)
        fputs("\033[0m", out);
}

static void print_row(const struct table *table, const struct row *row,
                      FILE *out, const struct layout *layout) {
    const int *widths = layout->widths;
    const char *rest[MAX_COLUMNS];
    bool more = true;

    for (int c = 0; c < table->columns; c++)
        rest[c] = row->cells[c] ? row->cells[c] : "";
    for (int line = 0; more; line++) {
        int owed = 0; // spaces that are printed only if a text follows
        more = false;
        for (int c = 0; c < table->columns; c++) {
            int indent = line > 0 && *rest[c] ? INDENT : 0;
            int room = room_for(table, layout, rest, c);
            int length = fitting(rest[c], room - indent);
            int before = c == 0 ? widths[c] - length : indent;
            if (length > 0) {
                fprintf(out, "%*s", owed + before, "");
                if (layout->colour)
                    print_piece(table, row, c, out, rest[c], length);
                else
                    fprintf(out, "%.*s", length, rest[c]);
            }
            owed = length > 0 ? widths[c] - indent - length
                              : owed + widths[c];
            if (c == 0 && length > 0)
                owed = 0;
            owed += GAP;
            rest[c] += length;
            rest[c] += strspn(rest[c], " ");
            more = more || *rest[c];
        }
        fputc('\n', out);
    }
}

// A row with some cells, and then a line that reaches to the end of the page.
static void print_span(const struct row *row, FILE *out,
                       const struct layout *layout, int width) {
    int used = 0;

    for (int c = 0; c < row->from; c++) {
        const char *cell = row->cells[c] ? row->cells[c] : "";
        int room = layout->widths[c];
        used += fprintf(out, "%*s%*s", c == 0 ? room : -room, cell, GAP, "");
    }
    wrap(out, row->line, width - used < NARROWEST ? used + NARROWEST : width,
         used, row->dim && layout->colour ? COLOUR_DIM : NULL);
}

size_t table_rows(const struct table *table) {
    return table->row_count;
}

void table_print(const struct table *table, FILE *out, int width, bool colour) {
    table_print_some(table, out, width, colour, 0, table->row_count);
}

void table_print_some(const struct table *table, FILE *out, int width,
                      bool colour, size_t from, size_t to) {
    struct layout layout = {.colour = colour};

    measure(table, width, &layout);
    for (size_t i = from; i < to; i++) {
        const struct row *row = &table->rows[i];
        if (row->whole)
            fprintf(out, "%s\n", row->line);
        else if (row->line)
            print_span(row, out, &layout, width);
        else
            print_row(table, row, out, &layout);
    }
}
