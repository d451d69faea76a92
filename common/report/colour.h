// Colour: on a terminal, and never with NO_COLOR (https://no-color.org).
#ifndef COLOUR_H
#define COLOUR_H

#include <stdbool.h>
#include <stdio.h>

// What stands between "\033[" and "m". A client's colour is that of the pictures
// (common/picture/svg_style.c), as near as a terminal of 256 colours comes to
// it, and dark or light enough for a light and for a dark background.
#define COLOUR_DIM "2"
const char *colour_of_client(const char *name);

bool colour_wanted(FILE *out);

#endif
