// Colour: on a terminal, and never with NO_COLOR (https://no-color.org).
#ifndef COLOUR_H
#define COLOUR_H

#include <stdbool.h>
#include <stdio.h>

// Colours, as they stand between "\033[" and "m". A client's colour is that of
// the pictures (common/picture/svg_style.c), as near as a terminal of 256
// colours comes to it. It can be read on a light and on a dark background.
#define COLOUR_DIM "2"
#define COLOUR_BROKEN "1;31"
const char *colour_of_client(const char *name);

bool colour_wanted(FILE *out);

#endif
