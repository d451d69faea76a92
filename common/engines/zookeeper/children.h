// The children of a node, as an answer lists them.
//
// A server lists them in no order. Those that were made in sequence have a
// number at the end of their names, and by that they are put in order here.
#ifndef CHILDREN_H
#define CHILDREN_H

#include "jute.h"

// The names that come next in a record, in the order of their numbers: a list
// that ends with NULL, which children_free() frees.
char **children_read(struct jute_reader *record);
void children_free(char **names);

// "/lock/…-0000000012": the number that the server has put at the end of a
// name; -1: there is none.
long children_number(const char *name);

#endif
