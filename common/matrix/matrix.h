// Many races against many locks: which cells are wanted, and how they are run.
#ifndef MATRIX_H
#define MATRIX_H

#include "base/arguments.h"
#include "catalogue/races.h"
#include "report/reasons.h"
#include "report/verdict_table.h"

#include <stdbool.h>
#include <stddef.h>

enum { MOST_PASSED = 32 };

struct matrix {
    struct race_list races;
    struct verdict_table table;
    bool blank;                // print a table to fill in, and run nothing
    const char *check;         // a table that was filled in, or NULL
    struct verdict_table said; // what stands in it
    enum format format;
    const char *client; // a guest, or NULL
    const char *engine; // has all locks on it, or the guest's
    int masters;        // of each world; 0: as many as a lock wants
    bool real, virtual;
    int lease_ms; // in real time; 0: the usual one
    const char *passed[MOST_PASSED]; // options that each cell is given, too
    int passed_count;
    int family; // the option that named it; 0: none has
    struct reasons reasons; // why cells could not be run
    size_t next; // the first cell that was not begun, counted row by row
    struct list_of_cells {
        size_t *cells, count;
    } left; // to which a job has not come
};

// Reads the command line; refuses what does not go together. After it the table
// has its rows and its columns.
void matrix_parse(struct matrix *matrix, int argc, char **argv);

// Runs every cell, and shows on a terminal how many are done. What a guest says
// goes to standard error.
void matrix_run(struct matrix *matrix);

// In real time no server is shared, and jobs mostly wait.
bool matrix_in_real_time(const struct matrix *matrix);

#endif
