// A run, told in sentences: what each event means to somebody who has not
// learnt to read a trace.
#ifndef SENTENCES_H
#define SENTENCES_H

#include "record.h"

#include <stddef.h>

// One or more whole sentences for each entry of the record, in order. A text is
// empty where the entries around it say enough. The command of an exchange is
// told when it is sent, and its effect when it is answered. Commands and
// answers stand in quotes.
char **sentences_of(const struct record *record);
void sentences_free(char **sentences, const struct record *record);

#endif
