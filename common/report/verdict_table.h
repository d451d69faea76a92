// A table of verdicts: a row for each race, a column for each lock.
#ifndef VERDICT_TABLE_H
#define VERDICT_TABLE_H

#include "catalogue/locks.h"
#include "catalogue/races.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cell { NOT_RUN, HOLDS, BROKEN, CANNOT, INCONCLUSIVE };

struct verdict_table {
    const struct race_entry *rows[MAX_RACES];
    size_t row_count;
    size_t race_count;      // of all races: a table of all has titles
    struct lock_list locks; // columns
    enum cell cells[MAX_RACES][MAX_LOCKS];
    bool has_digests; // of all that a run showed; 0: it did not end
    uint64_t digests[MAX_RACES][MAX_LOCKS];
};

// Print it to standard output: for a reader, with a legend; or for a program.
void verdict_table_print_text(const struct verdict_table *table);
void verdict_table_print_tsv(const struct verdict_table *table);
void verdict_table_print_json(const struct verdict_table *table);

// The cell for the verdict in a race's document; NULL: it has none.
enum cell verdict_table_cell(const char *verdict);

#endif
