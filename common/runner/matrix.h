// Many races against many locks, as a table: which cells are wanted.
#ifndef MATRIX_H
#define MATRIX_H

#include "catalogue/races.h"
#include "race/options.h"
#include "report/verdict_file.h"
#include "report/verdict_table.h"

#include <stdbool.h>

struct matrix {
    struct race_list races;
    struct verdict_table table;
    bool bugs;       // the checks of scenarios/bugs are wanted
    size_t left_out; // races of a shelf that nobody has asked for
    const char *documents; // a folder for the runs, or NULL
    bool blank;                // print a table to fill in, and run nothing
    const char *check;         // a table that was filled in, or NULL
    struct verdict_table said; // the verdicts in it
    const char *expect;           // a table to compare with, or NULL
    struct verdict_file expected; // the verdicts in it
    const char **resume; // files with rows that are not run again
    size_t resume_count;
    struct verdict_file earlier; // those rows
    size_t shard, shards; // only every shards-th race, from this one; 0: all
    struct options options; // of each cell; its locks are the table's
    const char *engine;     // has all locks on it, or the guest's
    int family; // the option that named it; 0: none has
};

// Reads the command line; refuses what does not go together. After it the table
// has its rows and its columns.
void matrix_parse(struct matrix *matrix, int argc, char **argv);

#endif
