#include "svg.h"

#include "markup.h"

#include <stdlib.h>
#include <string.h>

// --- places ------------------------------------------------------------------

int svg_client_x(const struct svg *svg, int client) {
    return svg->first_x + client * svg->column;
}

int svg_server_x(const struct svg *svg, int server) {
    int last = svg->record->masters - 1;

    if (server > last)
        server = 0; // a replica stands in for the first one
    return svg->server_x - (last > 0 ? (last - server) * STRIP : 0);
}

int svg_lane_end(int lock) {
    return LANE + LEASE_WIDTH + BAND + lock * (LEASE_WIDTH + BAND + 12);
}

int svg_y(const struct svg *svg, size_t entry) {
    struct diagram_place place = svg->diagram->places[entry];

    if (place.row < 0)
        return svg->top;
    const struct diagram_row *row = &svg->diagram->rows[place.row];
    if (row->kind == ROW_TIME || row->kind == ROW_OVERLAP)
        return svg->row_tops[place.row + 1];
    return svg->row_tops[place.row] + 10 + (place.at_server ? FALL : 0);
}

char svg_letter(const struct svg *svg, int client) {
    char name = client < 0 ? 'Z' : *svg->record->clients[client];
    return name >= 'A' && name <= 'E' ? (char)(name - 'A' + 'a') : 'z';
}

// --- drawing -----------------------------------------------------------------

void svg_text(const struct svg *svg, const char *class, int x, int y,
              const char *text) {
    fprintf(svg->out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, y);
    markup_text(svg->out, text);
    fputs("</text>\n", svg->out);
}

void svg_bar(const struct svg *svg, int client, int x, int y, int width,
             int height) {
    char letter = svg_letter(svg, client);

    if (height <= 0)
        return;
    fprintf(svg->out, "<rect class=\"fill-%c\" x=\"%d\" y=\"%d\" width=\"%d\" "
            "height=\"%d\"/>", letter, x, y, width, height);
    if (letter != 'a')
        fprintf(svg->out, "<rect fill=\"url(#pattern-%c)\" x=\"%d\" y=\"%d\" "
                "width=\"%d\" height=\"%d\"/>", letter, x, y, width, height);
    fputc('\n', svg->out);
}

int svg_paragraph(const struct svg *svg, const char *class, int x, int y,
                  int width, const char *text) {
    int letters = width / (strcmp(class, "dim") == 0 ? DIM_LETTER : SANS_LETTER);
    char *line;

    while ((line = markup_line(&text, letters))) {
        svg_text(svg, class, x, y, line);
        free(line);
        y += LINE + 2;
    }
    return y;
}
