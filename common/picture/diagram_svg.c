#include "diagram_svg.h"

#include "base/fail.h"
#include "base/units.h"
#include "catalogue/races.h"
#include "markup.h"
#include "report/cause.h"
#include "svg.h"
#include "svg_draw.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 92, ROW_REST = 8, MOST_LETTERS = 38 };

// --- the page ----------------------------------------------------------------

static int lines_of(const char *text, int width) {
    int lines = 0;
    char *line;

    while ((line = markup_line(&text, width / SANS_LETTER))) {
        free(line);
        lines++;
    }
    return lines;
}

static int row_height(const struct svg *svg, const struct diagram_row *row) {
    int width = svg->width - MARGIN - svg->first_x + 40;

    switch (row->kind) {
    case ROW_CLIENT:  return svg_row_lines(svg, row) * LINE + ROW_REST - 2;
    case ROW_TIME:    return 26;
    case ROW_OVERLAP: return 28;
    default:          return lines_of(row->text, width) * (LINE + 2) + ROW_REST;
    }
}

// As wide as the longest text wants, if the page has room for that.
static void lay_out_columns(struct svg *svg) {
    const struct record *record = svg->record;
    int longest = 16, clients = record->client_count;

    for (size_t i = 0; i < svg->diagram->row_count; i++) {
        const struct diagram_row *row = &svg->diagram->rows[i];
        int length = markup_length(row->text) + markup_length(row->meaning) + 2;
        if ((row->kind == ROW_CLIENT || row->kind == ROW_OVERLAP) &&
            length > longest)
            longest = length;
    }
    svg->server_x = svg_lane_end(svg->diagram->lock_count - 1) +
                    (record->masters > 1 ? record->masters * STRIP + 4 : 0);
    svg->first_x = svg->server_x + 64;
    int room = (MOST_WIDTH - svg->first_x - MARGIN) / (clients ? clients : 1);
    if (longest > MOST_LETTERS)
        longest = MOST_LETTERS;
    svg->column = longest * LETTER + 30;
    if (svg->column > room)
        svg->column = room;
    svg->width = svg->first_x + clients * svg->column + MARGIN;
    if (svg->width < LEAST_WIDTH)
        svg->width = LEAST_WIDTH;
}

static void lay_out_rows(struct svg *svg) {
    size_t count = svg->diagram->row_count;

    svg->top = HEAD;
    svg->row_tops = must_have(malloc((count + 1) * sizeof *svg->row_tops));
    svg->row_tops[0] = svg->top + 6;
    for (size_t i = 0; i < count; i++)
        svg->row_tops[i + 1] = svg->row_tops[i] +
                               row_height(svg, &svg->diagram->rows[i]);
    svg->bottom = svg->row_tops[count] + 12;
}

// Does the story have a title of its own?
static bool find_title(const struct record *record,
                       char title[RACE_TITLE_SIZE]) {
    races_title(record->race, title);
    return strcmp(title, "a race") != 0;
}

static void print_names(const struct svg *svg) {
    const struct record *record = svg->record;
    char number[16];

    for (int lock = 0; lock < svg->diagram->lock_count; lock++)
        svg_text(svg, "dim end", svg_lane_end(lock), HEAD - 12,
                 lock == 0 ? "lock" : "lock2");
    for (int m = 0; record->masters > 1 && m < record->masters; m++) {
        snprintf(number, sizeof number, "%d", m + 1);
        svg_text(svg, "dim end", svg_server_x(svg, m) - 4, HEAD - 12, number);
    }
    for (int i = 0; i < record->client_count; i++) {
        int x = svg_client_x(svg, i);
        fprintf(svg->out, "<rect class=\"fill-%c\" x=\"%d\" y=\"%d\" "
                "width=\"28\" height=\"22\" rx=\"4\"/>\n", svg_letter(svg, i),
                x - 14, HEAD - 28);
        svg_text(svg, "name", x, HEAD - 12, record->clients[i]);
    }
}

static void print_head(const struct svg *svg) {
    const struct record *record = svg->record;
    char text[RACE_NAME_SIZE + 256], title[RACE_TITLE_SIZE], span[SPAN_WORDS];

    snprintf(text, sizeof text, "%s on %s", record->race, record->lock);
    svg_text(svg, "title", MARGIN, 30, text);
    snprintf(text, sizeof text, "lease %s",
             span_words(record->lease_ms * MILLISECOND, span));
    svg_text(svg, "dim end", svg->width - MARGIN, 30, text);
    if (find_title(record, title))
        svg_text(svg, "words", MARGIN, 49, title);
    print_names(svg);
}

// For readers who do not see the picture.
static void print_description(const struct svg *svg) {
    const struct record *record = svg->record;

    fprintf(svg->out, "<title id=\"title\">%s on ", record->race);
    markup_text(svg->out, record->lock);
    fprintf(svg->out, ": %s</title>\n<desc id=\"desc\">",
            verdict_word(record->verdict));
    for (size_t i = 0; i < svg->diagram->row_count; i++)
        if (svg->diagram->rows[i].kind == ROW_NOTE) {
            markup_text(svg->out, svg->diagram->rows[i].text);
            fputs(". ", svg->out);
        }
    markup_text(svg->out, record->sentence);
    if (*record->because) {
        fprintf(svg->out, " %s", cause_beginning(record));
        markup_text(svg->out, record->because);
    }
    fputs("</desc>\n", svg->out);
}

// For a page that goes through the picture row by row: where each begins, and
// which event it shows, from 0. After the last, where they end.
static void print_row_places(const struct svg *svg) {
    size_t count = svg->diagram->row_count;

    fputs(" data-rows=\"", svg->out);
    for (size_t i = 0; i < count; i++)
        fprintf(svg->out, "%d:%zu ", svg->row_tops[i],
                svg->diagram->rows[i].entry);
    fprintf(svg->out, "%d\">\n", svg->row_tops[count]);
}

static const char *verdict_class(enum verdict verdict) {
    return verdict == VERDICT_HOLDS ? "holds"
           : verdict == VERDICT_BROKEN ? "broken" : "unsaid";
}

// A tick, a cross or a dash: the verdict has a shape, too.
static void print_verdict_sign(const struct svg *svg, int y) {
    enum verdict verdict = svg->record->verdict;

    fprintf(svg->out, "<path class=\"sign %s\" transform=\"translate(%d %d)\" "
            "d=\"%s\"/>\n", verdict_class(verdict), MARGIN + 10, y - 11,
            verdict == VERDICT_HOLDS    ? "M1 7l4 4 8-10"
            : verdict == VERDICT_BROKEN ? "M1 1l10 10M11 1l-10 10"
                                        : "M1 6h11");
}

static const char legend[] =
    "Thick lifeline: the client is inside. Hollow: it still has the lock, but "
    "its work is done or it has begun to leave. Dotted: the process is stopped. "
    "Bar beside the lock: what is left of its lease.";

// Returns the height of the document.
static int print_verdict(const struct svg *svg) {
    const struct record *record = svg->record;
    int x = MARGIN + 30, width = svg->width - MARGIN - x - 10;
    int y = svg->bottom + 28;
    char *text = NULL;

    print_verdict_sign(svg, y);
    if (asprintf(&text, "%s%s%s", verdict_word(record->verdict),
                 *record->sentence ? ": " : "", record->sentence) < 0)
        fail("no memory is left");
    y = svg_paragraph(svg, "verdict", x, y, width - 40, text);
    free(text);
    if (*record->because) {
        if (asprintf(&text, "%s%s", cause_beginning(record),
                     record->because) < 0)
            fail("no memory is left");
        y = svg_paragraph(svg, "words", x, y, width, text);
        free(text);
        y = svg_paragraph(svg, "words", x, y, width, record->answered_by);
    }
    return svg_paragraph(svg, "dim", x, y + 10, width, legend) + 2;
}

void diagram_svg_print(FILE *out, const struct record *record) {
    struct diagram diagram;
    struct svg svg = {.record = record, .diagram = &diagram};
    char *body = NULL;
    size_t size = 0;

    diagram_open(&diagram, record);
    lay_out_columns(&svg);
    lay_out_rows(&svg);
    svg.out = must_have(open_memstream(&body, &size));
    svg_draw_background(&svg);
    svg_draw_locks(&svg);
    svg_draw_clients(&svg);
    svg_draw_arrows(&svg);
    svg_draw_rows(&svg);
    print_head(&svg);
    int height = print_verdict(&svg);
    fclose(svg.out);
    svg.out = out;
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"run\" "
            "role=\"img\" aria-labelledby=\"title desc\" width=\"%d\" "
            "height=\"%d\" viewBox=\"0 0 %d %d\"", svg.width, height,
            svg.width, height);
    print_row_places(&svg);
    print_description(&svg);
    svg_print_style(out);
    fprintf(out, "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n",
            svg.width, height);
    fwrite(body, 1, size, out);
    fputs("</svg>\n", out);
    free(body);
    free(svg.row_tops);
    diagram_close(&diagram);
}
