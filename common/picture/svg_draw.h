// The functions that draw an SVG document, from the background up.
#ifndef SVG_DRAW_H
#define SVG_DRAW_H

#include "svg.h"

void svg_print_style(FILE *out);

// The lanes of the locks, and the strips of several masters.
void svg_draw_locks(const struct svg *svg);

// The background of the rows: time that passes, and where several are inside.
void svg_draw_background(const struct svg *svg);

// The clients: lifelines, and when they are inside.
void svg_draw_clients(const struct svg *svg);
void svg_draw_arrows(const struct svg *svg);
void svg_draw_rows(const struct svg *svg);

// The number of lines that the text of a client's row needs.
int svg_row_lines(const struct svg *svg, const struct diagram_row *row);

#endif
