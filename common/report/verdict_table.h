// A table of verdicts: a row for each race, a column for each lock.
#ifndef VERDICT_TABLE_H
#define VERDICT_TABLE_H

#include "catalogue/locks.h"
#include "catalogue/races.h"
#include "judge/judge.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cell { NOT_RUN, HOLDS, BROKEN, CANNOT, INCONCLUSIVE };

struct verdict_cell {
    enum cell verdict;
    enum property lost; // if it is BROKEN: first
    bool only_told;     // and nothing worse: nobody got in who should not
    bool done;       // it has come to its end, or cannot
    uint64_t digest; // of all that its run showed; 0: it did not end
    bool crashed;       // a client's process has, by its own mistake
    const char *reason; // it is NOT_RUN: why
};

struct verdict_table {
    const struct race_entry **rows;
    size_t row_count;
    bool has_shelves;       // with titles above them
    struct lock_list locks; // columns
    struct verdict_cell *cells; // row by row
    const char **kept; // for each row: its cells' text, if it is taken from an
                       // earlier table; NULL: no row is
    bool has_digests;
    bool has_reasons; // tab-separated: with crashes, and why a cell was not run
    size_t printed; // rows
};

// A row more, without cells.
void verdict_table_add_row(struct verdict_table *table,
                           const struct race_entry *race);

// Makes the cells, NOT_RUN, in memory that this process shares with its
// children.
void verdict_table_share(struct verdict_table *table);

struct verdict_cell *verdict_table_cell(const struct verdict_table *table,
                                        size_t row, size_t column);

// As --format tsv has them: the line above all rows, and the cells of one row
// with a tab between two. The caller frees the text.
char *verdict_table_head(const struct verdict_table *table);
char *verdict_table_cells(const struct verdict_table *table, size_t row);

// Is this row taken from an earlier table?
bool verdict_table_keeps(const struct verdict_table *table, size_t row);

// Print it to standard output: for a reader, with a legend; or for a program.
// Tab-separated, the rows that are done now and were not printed before: so
// what is there stays, whatever ends the run.
void verdict_table_print_text(const struct verdict_table *table);
void verdict_table_print_tsv(struct verdict_table *table);
void verdict_table_print_json(const struct verdict_table *table);

#endif
