// A table that a student fills in, and what has become of it:
//
//     # Say holds, broken or cannot in place of each ? …
//     race            stage4  stage5
//     expired_delete  broken  ?
//
// Lines that begin with # and empty lines mean nothing.
#ifndef PREDICTION_H
#define PREDICTION_H

#include "verdict_table.h"

// Prints it with a ? in each cell.
void prediction_print_blank(const struct verdict_table *table);

// Reads it: rows and columns into `table`, and the cells as well; NOT_RUN
// stands for a ?. Ends the program with "FILE:LINE: what is wrong" and status 2
// if it is no such table.
void prediction_read(const char *file, const struct race_list *races,
                     struct verdict_table *table);

// Compares it with what came out: a line for each cell that is wrong, with the
// command that shows it, and the score.
void prediction_print_score(const struct verdict_table *said,
                            const struct verdict_table *came);

#endif
