// ./scenarios/NAME --ask: the story and the beginning of the trace, then three
// questions: what does the server answer, who is inside, does the lock hold?
// When they are answered, the rest.
#ifndef QUESTION_H
#define QUESTION_H

#include "record.h"

#include <stdbool.h>
#include <stdio.h>

// Prints the record to `out` and reads the answers from `in`. `lost` is what
// the judge has found, or NULL; `inside` are the clients that were inside at
// that time, or in the end (1 << client). An empty line is no answer. A whole
// word such as "holds" is the verdict, also in place of another answer.
void question_print(FILE *out, FILE *in, const struct record *record,
                    const struct lost_property *lost, unsigned inside,
                    bool wire);

#endif
