#include "verdict_table.h"

#include "base/fail.h"
#include "base/list.h"
#include "colour.h"
#include "table.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    GAP = 2,   // between two columns of words
    GROUP = 5, // columns of signs, where there is no room for a space each
    CELL_WORDS = 48,
};

static const char *const words[] = {
    [NOT_RUN] = "not-run",
    [HOLDS] = "holds",
    [BROKEN] = "broken",
    [CANNOT] = "cannot",
    [INCONCLUSIVE] = "inconclusive",
};

void verdict_table_add_row(struct verdict_table *table,
                           const struct race_entry *race) {
    table->rows = list_grow(table->rows, table->row_count,
                            sizeof *table->rows);
    table->rows[table->row_count++] = race;
}

void verdict_table_share(struct verdict_table *table) {
    size_t count = table->row_count * table->locks.count;

    table->cells = mmap(NULL, count * sizeof *table->cells,
                        PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                        -1, 0);
    if (table->cells == MAP_FAILED)
        fail("no memory for a table of %zu cells", count);
}

struct verdict_cell *verdict_table_cell(const struct verdict_table *table,
                                        size_t row, size_t column) {
    return &table->cells[row * table->locks.count + column];
}

// "holds", "broken told", or with a digest "holds 0123456789abcdef".
static const char *cell_words(const struct verdict_table *table, size_t row,
                              size_t column, char said[CELL_WORDS]) {
    const struct verdict_cell *cell = verdict_table_cell(table, row, column);
    bool broken = cell->verdict == BROKEN;
    int length = snprintf(said, CELL_WORDS, "%s%s%s", words[cell->verdict],
                          broken ? " " : "",
                          broken ? property_word(cell->lost) : "");

    if (table->has_digests)
        snprintf(said + length, CELL_WORDS - (size_t)length, " %016" PRIx64,
                 cell->digest);
    return said;
}

char *verdict_table_head(const struct verdict_table *table) {
    char *text = NULL;
    size_t size;
    FILE *out = must_have(open_memstream(&text, &size));

    fputs("race", out);
    for (size_t c = 0; c < table->locks.count; c++)
        fprintf(out, "\t%s", table->locks.names[c]);
    fclose(out);
    return text;
}

bool verdict_table_keeps(const struct verdict_table *table, size_t row) {
    return table->kept && table->kept[row];
}

// Behind the words of a cell.
static void print_reason(FILE *out, const struct verdict_cell *cell) {
    if (cell->crashed)
        fputs(" crashed", out);
    if (cell->reason)
        fprintf(out, " %s", cell->reason);
}

char *verdict_table_cells(const struct verdict_table *table, size_t row) {
    char *text = NULL, said[CELL_WORDS];
    size_t size;

    if (verdict_table_keeps(table, row))
        return must_have(strdup(table->kept[row]));
    FILE *out = must_have(open_memstream(&text, &size));
    for (size_t c = 0; c < table->locks.count; c++) {
        fprintf(out, "%s%s", c > 0 ? "\t" : "",
                cell_words(table, row, c, said));
        if (table->has_reasons)
            print_reason(out, verdict_table_cell(table, row, c));
    }
    fclose(out);
    return text;
}

static bool row_is_done(const struct verdict_table *table, size_t row) {
    bool done = true;

    if (verdict_table_keeps(table, row))
        return true;
    for (size_t c = 0; c < table->locks.count; c++)
        done = done && verdict_table_cell(table, row, c)->done;
    return done;
}

void verdict_table_print_tsv(struct verdict_table *table) {
    for (; table->printed < table->row_count &&
           row_is_done(table, table->printed); table->printed++) {
        char *head = verdict_table_head(table);
        char *cells = verdict_table_cells(table, table->printed);
        if (table->printed == 0)
            puts(head);
        printf("%s\t%s\n", table->rows[table->printed]->name, cells);
        free(head);
        free(cells);
    }
    fflush(stdout);
}

void verdict_table_print_json(const struct verdict_table *table) {
    json_t *document = json_object();
    char said[CELL_WORDS];

    for (size_t r = 0; r < table->row_count; r++) {
        json_t *row = json_object();
        for (size_t c = 0; c < table->locks.count; c++)
            json_object_set_new(row, table->locks.names[c],
                                json_string(cell_words(table, r, c, said)));
        json_object_set_new(document, table->rows[r]->name, row);
    }
    json_dumpf(document, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(document);
}

static bool has_digit(const char *lock) {
    return locks_is_stage(lock) && lock[strlen("stage1")] == '_';
}

// A key for a column without room for a name: the stage's digit, or a letter.
static char column_key(const struct verdict_table *table, size_t column) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t letter = 0;

    if (has_digit(table->locks.names[column]))
        return table->locks.names[column][strlen("stage")];
    for (size_t c = 0; c < column; c++)
        letter += !has_digit(table->locks.names[c]);
    return letter < sizeof letters - 1 ? letters[letter] : '+';
}

static void print_cell(const struct verdict_cell *said, int width, bool wide,
                       bool colour) {
    enum cell cell = said->verdict;
    static const char *const text[] = {
        [NOT_RUN] = "not run", [HOLDS] = "holds",
        [BROKEN] = "BROKEN",   [CANNOT] = "-", [INCONCLUSIVE] = "?",
    };
    static const char *const symbols[] = {
        [NOT_RUN] = "!", [HOLDS] = ".", [BROKEN] = "X", [CANNOT] = "-",
        [INCONCLUSIVE] = "?",
    };
    static const char *const codes[] = {
        [NOT_RUN] = "35", [HOLDS] = "32", [BROKEN] = COLOUR_BROKEN,
        [CANNOT] = COLOUR_DIM, [INCONCLUSIVE] = "33",
    };
    const char *word = cell == BROKEN && said->only_told ? wide ? "told" : "x"
                       : wide                            ? text[cell]
                                                         : symbols[cell];

    if (colour)
        printf("\033[%sm%-*s\033[0m", codes[cell], width, word);
    else
        printf("%-*s", width, word);
}

static bool has_cell(const struct verdict_table *table, enum cell cell) {
    for (size_t r = 0; r < table->row_count; r++)
        for (size_t c = 0; c < table->locks.count; c++)
            if (verdict_table_cell(table, r, c)->verdict == cell)
                return true;
    return false;
}

static bool has_only_told(const struct verdict_table *table) {
    size_t count = table->row_count * table->locks.count;

    for (size_t i = 0; i < count; i++)
        if (table->cells[i].verdict == BROKEN && table->cells[i].only_told)
            return true;
    return false;
}

// A guest has no name, so --stage cannot call it.
static bool is_guests(const struct verdict_table *table) {
    return table->locks.count == 1 &&
           strcmp(table->locks.names[0], LOCK_GUEST) == 0;
}

static void print_meaning(const char *sign, const char *meaning) {
    printf("%-6s  ", sign);
    table_wrap_from(stdout, meaning, page_width(stdout), 8);
}

static void print_legend(const struct verdict_table *table, bool wide) {
    char name[LOCK_NAME_SIZE];
    int named = 0; // how much was written

    putchar('\n');
    for (size_t c = 0; c < table->locks.count; c++) {
        const char *lock = table->locks.names[c];
        locks_short_name(lock, name);
        if (!wide)
            named += printf("%c  %s\n", column_key(table, c), lock);
        else if (strcmp(name, lock) != 0)
            named += printf("%s  %s\n", name, lock + strlen(name) + 1);
    }
    if (named)
        putchar('\n');
    printf("%-6s  the lock kept its promise in this race\n"
           "%-6s  it did not: ./scenarios/RACE %s shows how\n",
           wide ? "holds" : ".", wide ? "BROKEN" : "X",
           is_guests(table) ? "with the same --client" : "--stage LOCK");
    if (has_only_told(table))
        print_meaning(wide ? "told" : "x", "nor here, but no more was lost "
                      "than that a client was told what is not true");
    printf("%-6s  it never does what the story needs, so it cannot happen "
           "here\n", "-");
    if (has_cell(table, INCONCLUSIVE))
        printf("%-6s  a client heard only an error, and the story has not "
               "caused that:\n        nothing can be said\n", "?");
    if (has_cell(table, NOT_RUN))
        printf("%s  this cell was not run; what went wrong stands on standard "
               "error\n", wide ? "not run" : "!     ");
}

// Measures the columns with words. Returns the width of the whole table.
static int measure(const struct verdict_table *table, int *first,
                   int widths[MAX_LOCKS]) {
    int narrowest = (int)strlen(has_cell(table, NOT_RUN) ? "not run"
                                                          : "BROKEN");
    char name[LOCK_NAME_SIZE];

    *first = (int)strlen("race");
    for (size_t r = 0; r < table->row_count; r++)
        if ((int)strlen(table->rows[r]->name) > *first)
            *first = (int)strlen(table->rows[r]->name);
    int total = *first;
    for (size_t c = 0; c < table->locks.count; c++) {
        locks_short_name(table->locks.names[c], name);
        widths[c] = (int)strlen(name) > narrowest ? (int)strlen(name)
                                                  : narrowest;
        total += GAP + widths[c];
    }
    return total;
}

// A table of whole shelves has a title above each of them.
static void print_shelf(const struct verdict_table *table, size_t r) {
    char shelf[RACE_TITLE_SIZE];

    if (!table->has_shelves)
        return;
    races_shelf(table->rows[r], shelf);
    if (r == 0 || !races_share_shelf(table->rows[r - 1], table->rows[r]))
        printf("\n%s\n", shelf);
}

// The columns of a table, from the first to before the last.
struct columns {
    int from, to;
    int first;  // the width of the names of the races
    bool wide;  // names and words, or else keys and signs
    bool dense; // a space only after GROUP of them
    const int *widths;
};

// The space before a column.
static int gap_before(const struct columns *columns, int c) {
    return columns->wide    ? GAP
           : columns->dense ? (c - columns->from) % GROUP == 0
                            : 1;
}

static void print_head(const struct verdict_table *table,
                       const struct columns *columns) {
    int last = columns->to - 1;
    char name[LOCK_NAME_SIZE];

    printf("%-*s", columns->first, "race");
    for (int c = columns->from; c <= last; c++) {
        locks_short_name(table->locks.names[c], name);
        printf("%*s", gap_before(columns, c), "");
        if (columns->wide)
            printf("%-*s", c == last ? 0 : columns->widths[c], name);
        else
            putchar(column_key(table, (size_t)c));
    }
    putchar('\n');
}

static void print_rows(const struct verdict_table *table,
                       const struct columns *columns) {
    bool colour = colour_wanted(stdout), wide = columns->wide;
    int last = columns->to - 1;

    for (size_t r = 0; r < table->row_count; r++) {
        print_shelf(table, r);
        printf("%-*s", columns->first, table->rows[r]->name);
        for (int c = columns->from; c <= last; c++) {
            printf("%*s", gap_before(columns, c), "");
            print_cell(verdict_table_cell(table, r, (size_t)c),
                       c == last ? 0 : wide ? columns->widths[c] : 1, wide,
                       colour);
        }
        putchar('\n');
    }
}

// How many columns of signs fit a screen, with a space after GROUP of them.
static int dense_columns(int room) {
    int groups = room / (GROUP + 1), rest = room % (GROUP + 1);
    int count = groups * GROUP + (rest > 0 ? rest - 1 : 0);

    return count > 0 ? count : 1;
}

// A file or a pipe gets lines as long as they are. On a screen, signs stand
// close to each other if they have to, and then in several tables.
void verdict_table_print_text(const struct verdict_table *table) {
    int widths[MAX_LOCKS], count = (int)table->locks.count;
    struct columns columns = {.widths = widths};
    int width = measure(table, &columns.first, widths);
    int room = screen_width(stdout), step = count;

    columns.wide = width <= page_width(stdout);
    columns.dense = !columns.wide && columns.first + 2 * count > room;
    if (columns.dense)
        step = dense_columns(room - columns.first);
    for (; columns.from < count; columns.from = columns.to) {
        int left = count - columns.from;
        columns.to = columns.from + (left < step ? left : step);
        if (columns.from > 0)
            putchar('\n');
        print_head(table, &columns);
        print_rows(table, &columns);
    }
    print_legend(table, columns.wide);
}
