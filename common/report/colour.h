// Colour: on a terminal, and never with NO_COLOR (https://no-color.org).
#ifndef COLOUR_H
#define COLOUR_H

#include <stdbool.h>
#include <stdio.h>

bool colour_wanted(FILE *out);

#endif
