#include "svg_draw.h"

#include "markup.h"

#include <stdlib.h>
#include <string.h>

// --- a client's text ---------------------------------------------------------

// The lines of a client's text, and behind it its meaning, in the same line if
// there is room.
struct lines {
    char *text[2 * MOST_LINES];
    char *meaning[2 * MOST_LINES];
    int count;
    bool cut;
};

static int letters(const struct svg *svg) {
    return (svg->column - 22) / LETTER;
}

static void break_text(const char *text, int width, char *lines[MOST_LINES],
                       int *count, bool *cut) {
    char *line;

    while (*count < MOST_LINES && (line = markup_line(&text, width)))
        lines[(*count)++] = line;
    *cut = *cut || text[strspn(text, " ")];
}

static struct lines break_row(const struct svg *svg,
                              const struct diagram_row *row) {
    struct lines lines = {.count = 0};
    char *meaning[MOST_LINES] = {NULL};
    int width = letters(svg), count = 0;

    break_text(row->text, width, lines.text, &lines.count, &lines.cut);
    break_text(row->meaning, width, meaning, &count, &lines.cut);
    for (int i = 0; i < count; i++) {
        const char *last = lines.count ? lines.text[lines.count - 1] : NULL;
        bool fits = i == 0 && last &&
                    markup_length(last) + markup_length(meaning[i]) + 2 <=
                        width;
        lines.meaning[fits ? lines.count - 1 : lines.count++] = meaning[i];
    }
    return lines;
}

static void free_lines(struct lines *lines) {
    for (int i = 0; i < lines->count; i++) {
        free(lines->text[i]);
        free(lines->meaning[i]);
    }
}

int svg_row_lines(const struct svg *svg, const struct diagram_row *row) {
    struct lines lines = break_row(svg, row);
    int count = lines.count;

    free_lines(&lines);
    return count;
}

static void print_line(const struct svg *svg, const struct lines *lines, int i,
                       int x, int y) {
    bool last = i == lines->count - 1;

    fprintf(svg->out, "<tspan x=\"%d\" y=\"%d\">", x + (i > 0 ? LETTER : 0), y);
    if (lines->text[i])
        markup_text(svg->out, lines->text[i]);
    if (lines->meaning[i]) {
        fputs(lines->text[i] ? ", " : "", svg->out);
        fputs("<tspan class=\"means\">", svg->out);
        markup_text(svg->out, lines->meaning[i]);
        fputs("</tspan>", svg->out);
    }
    fputs(!last ? " </tspan>" : lines->cut ? "…</tspan>" : "</tspan>",
          svg->out);
}

static void client_row(const struct svg *svg, const struct diagram_row *row,
                       int top) {
    struct lines lines = break_row(svg, row);
    int x = svg_client_x(svg, row->client) + 13;

    fputs("<text class=\"halo\">", svg->out);
    if (lines.cut) {
        fputs("<title>", svg->out);
        markup_text(svg->out, row->text);
        fputs(*row->text && *row->meaning ? ", " : "", svg->out);
        markup_text(svg->out, row->meaning);
        fputs("</title>", svg->out);
    }
    for (int i = 0; i < lines.count; i++)
        print_line(svg, &lines, i, x, top + 14 + i * LINE);
    fputs("</text>\n", svg->out);
    free_lines(&lines);
}

// --- rows across the page ----------------------------------------------------

static int words_x(const struct svg *svg) {
    return svg->first_x - 40;
}

static void note_row(const struct svg *svg, const struct diagram_row *row,
                     int top) {
    svg_paragraph(svg, row->kind == ROW_NOTE ? "note halo" : "dim halo",
                  words_x(svg), top + 17, svg->width - MARGIN - words_x(svg),
                  row->text);
}

// Something is done to a server: with a sign, so that it is not a part of the
// story.
static void server_row(const struct svg *svg, const struct diagram_row *row,
                       int top) {
    fprintf(svg->out, "<path class=\"ink\" d=\"M%d %dh8v8h-8z\"/>\n",
            words_x(svg), top + 8);
    svg_paragraph(svg, "done halo", words_x(svg) + 16, top + 17,
                  svg->width - MARGIN - words_x(svg) - 16, row->text);
}

static void overlap_row(const struct svg *svg, const struct diagram_row *row,
                        int top) {
    const struct diagram_overlap *overlap = svg->diagram->overlaps;

    while (overlap->from != row->entry)
        overlap++;
    int first = __builtin_ctz(overlap->clients);
    svg_text(svg, "alarm halo", svg_client_x(svg, first) + 13, top + 19,
             row->text);
}

static void print_time(const struct svg *svg, const struct diagram_row *row,
                       int64_t *shown_ns, int top) {
    char text[48];

    if (row->time_ns == *shown_ns || row->kind == ROW_TIME)
        return;
    *shown_ns = row->time_ns;
    int64_t ms = row->time_ns / 1000000;
    snprintf(text, sizeof text, "%lld.%03d", (long long)(ms / 1000),
             (int)(ms % 1000));
    svg_text(svg, "end", AXIS - 8, top + 14, text);
}

// The axis breaks where time passes.
static void time_row(const struct svg *svg, const struct diagram_row *row,
                     int top, int bottom) {
    int middle = (top + bottom) / 2;
    char text[64];

    fprintf(svg->out, "<path class=\"axis halo\" d=\"M%d %dv4l5 3-10 5 10 5-5 3v4\"/>\n",
            AXIS, middle - 12);
    snprintf(text, sizeof text, "+ %s", row->text);
    svg_text(svg, "span end", AXIS - 8, middle + 4, text);
}

void svg_draw_rows(const struct svg *svg) {
    int64_t shown_ns = -1;

    for (size_t i = 0; i < svg->diagram->row_count; i++) {
        const struct diagram_row *row = &svg->diagram->rows[i];
        int top = svg->row_tops[i];
        print_time(svg, row, &shown_ns, top);
        switch (row->kind) {
        case ROW_CLIENT:  client_row(svg, row, top); break;
        case ROW_NOTE:
        case ROW_REPEATS: note_row(svg, row, top); break;
        case ROW_SERVER:  server_row(svg, row, top); break;
        case ROW_OVERLAP: overlap_row(svg, row, top); break;
        case ROW_TIME:
            time_row(svg, row, top, svg->row_tops[i + 1]);
            break;
        }
    }
}

// --- the background ----------------------------------------------------------

static void overlap_area(const struct svg *svg,
                         const struct diagram_overlap *overlap) {
    int first = svg_client_x(svg, __builtin_ctz(overlap->clients)) - 12;
    int last = svg_client_x(svg, 31 - __builtin_clz(overlap->clients)) +
               svg->column - 16;
    int from = svg->row_tops[svg->diagram->places[overlap->from].row + 1];
    int to = overlap->to == NOWHERE ? svg->bottom - 4
                                    : svg_y(svg, overlap->to);
    fprintf(svg->out, "<path class=\"overlap box alarm-line\" "
            "style=\"fill:url(#overlap)\" d=\"M%d %dH%dV%dH%dz\"/>\n", first,
            from, last, to, first);
}

void svg_draw_background(const struct svg *svg) {
    for (size_t i = 0; i < svg->diagram->row_count; i++)
        if (svg->diagram->rows[i].kind == ROW_TIME)
            fprintf(svg->out, "<path class=\"passing\" d=\"M%d %dH%dV%dH%dz\"/>"
                    "\n", AXIS, svg->row_tops[i] + 1, svg->width - MARGIN,
                    svg->row_tops[i + 1] - 1, AXIS);
    for (size_t i = 0; i < svg->diagram->overlap_count; i++)
        overlap_area(svg, &svg->diagram->overlaps[i]);
    fprintf(svg->out, "<path class=\"axis\" d=\"M%d %dV%d\"/>\n", AXIS,
            svg->top, svg->bottom);
}
