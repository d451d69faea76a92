// ./scenarios/NAME --ask: the story and the beginning of the trace, a question
// (does the lock hold?), and when it is answered the rest.
#ifndef QUESTION_H
#define QUESTION_H

#include "record.h"

#include <stdbool.h>
#include <stdio.h>

// Prints the record to `out` and reads the answer from `in`. `lost` is what the
// judge has found, or NULL. No answer is an answer, too: the rest follows.
void question_print(FILE *out, FILE *in, const struct record *record,
                    const struct lost_property *lost, bool wire);

#endif
