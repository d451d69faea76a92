// A table of verdicts that --format tsv has printed earlier, in a file. Its cells
// stay text: a run is compared with it as a reader would do it, and rows of it
// are printed again as they are.
#ifndef VERDICT_FILE_H
#define VERDICT_FILE_H

#include "verdict_table.h"

#include <stddef.h>

struct verdict_file_row {
    char *race;
    char *cells; // with a tab between two
};

// All zero at the start. The rows of several files can stand in one.
struct verdict_file {
    const char *path; // of the file that was read last
    struct verdict_file_row *rows;
    size_t count;
};

// Reads a file's rows. A last line without its end is left out: whatever wrote
// it was interrupted. Ends the program with one line and status 2 if this is no
// such table, if it has other locks than `table`, or a row that is there
// already.
void verdict_file_read(struct verdict_file *file, const char *path,
                       const struct verdict_table *table);

// The row of this race, or NULL.
const struct verdict_file_row *verdict_file_row(const struct verdict_file *file,
                                                const char *race);

// Prints a line on standard error for each cell of the table that is not as in
// the file, which has all its rows. Returns the number of these cells.
size_t verdict_file_compare(const struct verdict_file *file,
                            const struct verdict_table *table);

#endif
