// A run as a picture: an SVG document without a script and without anything
// from elsewhere. docs/pictures.md says how to read it.
#ifndef DIAGRAM_SVG_H
#define DIAGRAM_SVG_H

#include "report/record.h"

#include <stdio.h>

void diagram_svg_print(FILE *out, const struct record *record);

#endif
