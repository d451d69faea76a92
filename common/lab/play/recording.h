// All positions of a game within bounds, as one JSON document: so that it can
// be played where there is no Redis. docs/json.md describes the fields.
#ifndef RECORDING_H
#define RECORDING_H

#include "lab/search/bounds_options.h"

#include <stdio.h>

// The workers are open. Ends the program if there are too many positions.
void recording_print(const struct settings *settings, FILE *out);

#endif
