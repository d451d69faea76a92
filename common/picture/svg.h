// An SVG document with a diagram: where everything stands, and what all of its
// parts draw with. Lengths are in pixels; one letter is LETTER wide at most,
// since nobody knows which font the reader has.
#ifndef SVG_H
#define SVG_H

#include "diagram.h"

#include <stdio.h>

enum {
    MARGIN = 16,
    LETTER = 7,       // of a client's text
    SANS_LETTER = 7,
    DIM_LETTER = 6,
    LINE = 15,
    AXIS = 80,
    LANE = 94,        // where the first lock's lane begins
    LEASE_WIDTH = 132, // a whole lease
    BAND = 12,        // the owner's band
    STRIP = 28,       // one of several masters
    MOST_LINES = 3,   // of one text
    FALL = 9,         // so far a message falls that arrives at once
    MOST_WIDTH = 1000,
    LEAST_WIDTH = 640,
};

struct svg {
    FILE *out;
    const struct diagram *diagram;
    const struct record *record;
    int width;
    int server_x;     // where arrows end; of several masters, the last
    int first_x;      // the first client's lifeline
    int column;       // from one lifeline to the next
    int top, bottom;  // of the rows
    int *row_tops;    // one more than there are rows
};

// --- places ------------------------------------------------------------------

int svg_client_x(const struct svg *svg, int client);
int svg_server_x(const struct svg *svg, int server);

// The end of this lock's lane, with its owner's band.
int svg_lane_end(int lock);

// The height at which this entry stands.
int svg_y(const struct svg *svg, size_t entry);

// 'a' to 'e', or 'z': the colours and the pattern of a client.
char svg_letter(const struct svg *svg, int client);

// --- drawing -----------------------------------------------------------------

// A text at a place, of a class of the style sheet.
void svg_text(const struct svg *svg, const char *class, int x, int y,
              const char *text);

// A bar in a client's colour and pattern.
void svg_bar(const struct svg *svg, int client, int x, int y, int width,
             int height);

// A paragraph; returns where the next line would begin.
int svg_paragraph(const struct svg *svg, const char *class, int x, int y,
                  int width, const char *text);

#endif
