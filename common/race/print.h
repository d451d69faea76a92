// A run that has come to its end, printed as its options say. Or a number: a
// digest of all that its JSON document says, with the bytes on the wire.
#ifndef PRINT_H
#define PRINT_H

#include "race.h"

#include <stdint.h>

void race_print(struct race *race);
uint64_t race_digest(struct race *race);

// Writes the JSON document, with the trace and the picture, to
// FOLDER/RACE.LOCK.json.
void race_write(struct race *race, const char *folder);

#endif
