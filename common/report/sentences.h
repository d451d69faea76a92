// A run in sentences: what each event means to somebody who has not learnt to
// read a trace. The site shows them, and JSON has them for others.
//
// The effect of a command is derived from the lock before and after it. The
// alternative was a table of commands and answers in the page: it knew one
// server's commands, and said what a command is for, not what it did.
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
