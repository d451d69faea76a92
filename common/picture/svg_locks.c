// The lane of a lock: on the right a band of the owner's colour and pattern,
// and left of it a bar. The bar is as long as the rest of the lease. While time
// passes, the bar gets shorter. A lock without an end has a bar with a dashed
// border.
#include "svg_draw.h"

#include "base/fail.h"
#include "base/units.h"
#include "markup.h"
#include "report/lock_words.h"

#include <stdlib.h>
#include <string.h>

// One lane, as far as it is drawn.
struct lane {
    const struct svg *svg;
    const struct history *history;
    int right;         // where the bar ends and the band begins
    int64_t most_ms;   // a bar of full length
    int64_t left_ms;   // what is left of the lease now; -1: it has no end
    bool open;         // there is a lock
    int owner;
    int from_y;        // the bar's upper end
    char *edge;        // the bar's left edge, as a path
    size_t edge_size;
    FILE *path;
    char words[LOCK_WORDS]; // shown last
    int words_y;
    int row;           // the last row that was passed
};

static int bar_start(const struct lane *lane) {
    if (lane->left_ms < 0 || lane->most_ms <= 0)
        return lane->right - LEASE_WIDTH;
    return lane->right - (int)(LEASE_WIDTH * lane->left_ms / lane->most_ms);
}

static void edge_to(const struct lane *lane, int y) {
    if (lane->open)
        fprintf(lane->path, "L%d %d", bar_start(lane), y);
}

static void open_bar(struct lane *lane, const struct lock_state *state,
                     int owner, int y) {
    lane->open = true;
    lane->owner = owner;
    lane->left_ms = state->ttl_ms;
    lane->from_y = y;
    lane->path = must_have(open_memstream(&lane->edge, &lane->edge_size));
    edge_to(lane, y);
}

static void close_bar(struct lane *lane, int y) {
    const struct svg *svg = lane->svg;
    char letter = svg_letter(svg, lane->owner);

    if (!lane->open)
        return;
    edge_to(lane, y);
    fclose(lane->path);
    fprintf(svg->out, "<path class=\"fill-%c line-%c %s\" d=\"M%d %d%sL%d %dz\"/>"
            "\n", letter, letter, lane->left_ms < 0 ? "endless" : "lease",
            lane->right, lane->from_y, lane->edge, lane->right, y);
    svg_bar(svg, lane->owner, lane->right, lane->from_y, BAND,
            y - lane->from_y);
    free(lane->edge);
    lane->open = false;
}

// The rows down to this one, in some of which time passes.
static void pass_rows(struct lane *lane, int row) {
    const struct svg *svg = lane->svg;

    while (lane->row < row) {
        const struct diagram_row *passed = &svg->diagram->rows[++lane->row];
        if (passed->kind != ROW_TIME)
            continue;
        edge_to(lane, svg->row_tops[lane->row] + 2);
        if (lane->left_ms >= 0)
            lane->left_ms -= passed->passed_ns / MILLISECOND;
        if (lane->left_ms < 0 && lane->open && lane->most_ms > 0)
            lane->left_ms = 0;
        edge_to(lane, svg->row_tops[lane->row + 1] - 2);
    }
}

static void print_words(struct lane *lane, const struct lock_state *state,
                        bool expired, int y) {
    char words[LOCK_WORDS];

    lock_words(state, words);
    if (strcmp(words, lane->words) == 0 ||
        (!*lane->words && !state->exists))
        return;
    strcpy(lane->words, words);
    if (lane->words_y > y - 13)
        y = lane->words_y + 13;
    lane->words_y = y;
    markup_cut(words, LEASE_WIDTH / LETTER);
    svg_text(lane->svg, "end", lane->right - 5, y + 13,
             expired ? "expired" : words);
}

static void take_entry(struct lane *lane, size_t i, bool draw_words) {
    const struct svg *svg = lane->svg;
    struct diagram_place place = svg->diagram->places[i];
    const struct lock_state *state = history_state(lane->history, i);
    const struct moment *moment = &lane->history->moments[i];
    const struct entry *entry = &svg->record->entries[i];
    int y = svg_y(svg, i);

    if (place.hidden || place.row < 0 ||
        svg->diagram->rows[place.row].time_ns != entry->time_ns)
        return;
    pass_rows(lane, place.row);
    bool expired = entry->kind == EVENT_CLOCK && moment->change == GONE;
    if (draw_words) {
        print_words(lane, state, expired, y);
        return;
    }
    if (lane->open && (!state->exists || moment->owner != lane->owner ||
                       (state->ttl_ms < 0) != (lane->left_ms < 0) ||
                       moment->change == MADE ||
                       moment->change == OVERWRITTEN))
        close_bar(lane, y);
    if (!lane->open && state->exists)
        open_bar(lane, state, moment->owner, y);
    if (lane->open && state->ttl_ms != lane->left_ms) {
        edge_to(lane, y);
        lane->left_ms = state->ttl_ms;
        edge_to(lane, y);
    }
}

static int64_t longest_lease(const struct history *history) {
    int64_t most_ms = 0;

    for (size_t i = 0; i < history->count; i++)
        if (history_state(history, i)->ttl_ms > most_ms)
            most_ms = history_state(history, i)->ttl_ms;
    return most_ms;
}

static void draw_lane(const struct svg *svg, int lock, bool draw_words) {
    struct lane lane = {
        .svg = svg,
        .history = &svg->diagram->histories[lock],
        .right = svg_lane_end(lock) - BAND,
        .most_ms = longest_lease(&svg->diagram->histories[lock]),
        .left_ms = -1,
        .row = -1,
    };

    for (size_t i = 0; i < svg->record->entry_count; i++)
        take_entry(&lane, i, draw_words);
    if (!draw_words) {
        pass_rows(&lane, (int)svg->diagram->row_count - 1);
        close_bar(&lane, svg->bottom);
    }
}

// --- several masters ---------------------------------------------------------

static void draw_strip_part(const struct svg *svg, int master, int owner,
                            const struct lock_state *state, int from, int to) {
    int x = svg_server_x(svg, master) - STRIP + 4;
    char words[8];

    if (state->down)
        fprintf(svg->out, "<path class=\"axis\" d=\"M%d %dL%d %dM%d %dL%d %d\"/>"
                "\n", x, from, x + STRIP - 4, to, x + STRIP - 4, from, x, to);
    if (!state->exists)
        return;
    svg_bar(svg, owner, x + STRIP - 4 - 7, from, 7, to - from);
    snprintf(words, sizeof words, "%.2s", state->value);
    svg_text(svg, "halo", x, from + 12, words);
}

// The value that one master holds, and the client that made it.
static void draw_strip(const struct svg *svg, int master) {
    const struct record *record = svg->record;
    static const struct lock_state nothing;
    const struct lock_state *state = &nothing;
    int owner = NOBODY, from = svg->top;

    for (size_t i = 0; i < record->entry_count; i++) {
        const struct entry *entry = &record->entries[i];
        const struct lock_state *now =
            entry->masters ? &entry->masters[master] : state;
        if (svg->diagram->places[i].hidden ||
            (now->exists == state->exists && now->down == state->down &&
             strcmp(now->value, state->value) == 0))
            continue;
        draw_strip_part(svg, master, owner, state, from, svg_y(svg, i));
        state = now;
        owner = entry->client >= 0 ? entry->client : owner;
        from = svg_y(svg, i);
    }
    draw_strip_part(svg, master, owner, state, from, svg->bottom);
}

void svg_draw_locks(const struct svg *svg) {
    int masters = svg->record->masters;

    for (int lock = 0; lock < svg->diagram->lock_count; lock++) {
        draw_lane(svg, lock, false);
        draw_lane(svg, lock, true);
    }
    for (int m = 0; m < masters; m++) {
        int x = svg_server_x(svg, m);
        fprintf(svg->out, "<path class=\"axis\" d=\"M%d %dV%d\"/>\n", x,
                svg->top, svg->bottom);
        if (masters > 1 && svg->record->entry_count > 0)
            draw_strip(svg, m);
    }
}
