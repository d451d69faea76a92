// The rows are those of a trace, with two differences. An answer that arrives
// later has no row where it is held, since its arrow begins there. And where
// time passes, a row says how much.
#include "diagram_build.h"

#include "base/fail.h"
#include "base/list.h"
#include "base/text.h"
#include "base/units.h"
#include "report/event_words.h"
#include "report/neighbours.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rows {
    struct diagram *diagram;
    const struct record *record;
    size_t at;       // the entry that is written now
    int64_t time_ns; // the last time that a row has
};

static struct diagram_row *add_row(struct rows *rows, enum row_kind kind,
                                   char *text) {
    struct diagram *diagram = rows->diagram;
    struct diagram_row *row;

    diagram->rows = list_grow(diagram->rows, diagram->row_count, sizeof *row);
    row = &diagram->rows[diagram->row_count++];
    *row = (struct diagram_row){
        .kind = kind,
        .entry = rows->at,
        .client = rows->record->entries[rows->at].client,
        .text = text,
        .meaning = must_have(strdup("")),
        .time_ns = rows->time_ns,
    };
    return row;
}

// If time has passed since the last row, a row says so first.
static void let_time_pass(struct rows *rows) {
    if (rows->record->entry_count == 0)
        return;
    int64_t now_ns = rows->record->entries[rows->at].time_ns;
    int64_t passed_ns = now_ns - rows->time_ns;
    char words[SPAN_WORDS];

    if (passed_ns == 0)
        return;
    rows->time_ns = now_ns;
    struct diagram_row *row = add_row(
        rows, ROW_TIME, must_have(strdup(span_words(passed_ns, words))));
    row->passed_ns = passed_ns;
}

static char *escaped(const char *format, va_list args) {
    char *text = NULL;

    if (vasprintf(&text, format, args) < 0)
        fail("no memory is left");
    char *safe = must_have(text_escaped(text));
    free(text);
    return safe;
}

__attribute__((format(printf, 3, 4)))
static struct diagram_row *row(struct rows *rows, enum row_kind kind,
                               const char *format, ...) {
    va_list args;

    let_time_pass(rows);
    va_start(args, format);
    struct diagram_row *added = add_row(rows, kind, escaped(format, args));
    va_end(args);
    return added;
}

__attribute__((format(printf, 2, 3)))
static void set_meaning(struct diagram_row *added, const char *format, ...) {
    va_list args;

    free(added->meaning);
    va_start(args, format);
    added->meaning = escaped(format, args);
    va_end(args);
}

// --- on the wire -------------------------------------------------------------

// A row of the wire; with several masters it begins with the number of one: "3>
// GET lock", "3< A1".
static struct diagram_row *wire_row(struct rows *rows, char arrow,
                                    const char *text, const char *mark) {
    const struct entry *entry = &rows->record->entries[rows->at];

    if (rows->record->masters > 1)
        return row(rows, ROW_CLIENT, "%d%c %s%s", entry->server + 1, arrow,
                   text, mark);
    return row(rows, ROW_CLIENT, "%s%s", text, mark);
}

static void request_row(struct rows *rows, const struct entry *entry) {
    const struct entry *next = entry_after(rows->record, entry);
    bool same = same_exchange(entry, next);

    wire_row(rows, '>', entry->request,
             same && next->kind == EVENT_WAITS ? " <waits>"
             : same && next->kind == EVENT_RAN ? ""
                                               : " <held>");
}

static bool was_held(const struct rows *rows, const struct entry *entry) {
    const struct entry *before = entry_before(rows->record, entry);
    return !same_exchange(entry, before) || before->kind != EVENT_REQUEST;
}

static void ran_row(struct rows *rows, const struct entry *entry) {
    const struct entry *next = entry_after(rows->record, entry);

    if (was_held(rows, entry) && !entry->waited)
        wire_row(rows, '>', entry->request, " <delivered>");
    if (!diagram_arrives(rows->diagram, rows->at) &&
        !(same_exchange(entry, next) && next->kind == EVENT_CUT))
        wire_row(rows, '<', entry->answer, " <held>")->shows_answer = true;
}

static void answer_row(struct rows *rows, const struct entry *entry) {
    const struct entry *next = entry_after(rows->record, entry);
    char lease[WORDS_SIZE];

    struct diagram_row *added = wire_row(rows, '<', entry->answer, "");
    if (next && next->kind == EVENT_RESULT && next->client == entry->client)
        set_meaning(added, "%s%s", result_words(next),
                    lease_words(next, lease));
}

static void cut_row(struct rows *rows, const struct entry *entry) {
    if (entry->answer)
        wire_row(rows, '<', entry->answer, " <lost>");
    else if (entry->request)
        wire_row(rows, '>', entry->request, " <lost>");
    else
        row(rows, ROW_CLIENT, "connection cut");
}

static void refused_row(struct rows *rows, const struct entry *entry) {
    char server[32] = "the server";

    if (rows->record->masters > 1)
        snprintf(server, sizeof server, "server %d", entry->server + 1);
    row(rows, ROW_SERVER, "%s refuses writes for a moment", server);
}

// --- everything else ---------------------------------------------------------

// A result stands beside the answer that led to it. It has a row of its own
// only if no answer led to it.
static void result_row(struct rows *rows, const struct entry *entry) {
    const struct entry *before = entry_before(rows->record, entry);
    const char *reason = entry->text ? entry->text : "";
    char lease[WORDS_SIZE];

    if (before && before->kind == EVENT_ANSWER &&
        before->client == entry->client)
        return;
    set_meaning(row(rows, ROW_CLIENT, "%s", ""), "%s%s%s%s",
                result_words(entry), lease_words(entry, lease),
                *reason ? ": " : "", reason);
}

static bool any_expires(const struct record *record, const struct entry *before,
                        const struct entry *entry) {
    bool any = (before->lock.exists && !entry->lock.exists) ||
               (before->second.exists && !entry->second.exists);

    for (int m = 0; entry->masters && m < record->masters; m++)
        any = any || (before->masters[m].exists && !entry->masters[m].exists);
    return any;
}

static void plain_row(struct rows *rows, const struct entry *entry) {
    char server[32] = "";

    if (entry->one_way)
        snprintf(server, sizeof server, "%s %d",
                 entry->kind == EVENT_ISOLATED ? " from" : ":",
                 entry->server + 1);
    row(rows, ROW_CLIENT, "%s%s", happening_words(entry), server);
}

static void asked_row(struct rows *rows, const struct entry *entry) {
    char words[WORDS_SIZE];

    asked_words(entry, words);
    if (*words)
        row(rows, ROW_CLIENT, "%s", words);
}

static void woke_row(struct rows *rows, const struct entry *entry) {
    const struct entry *next = entry_after(rows->record, entry);

    if (!next || next->kind != EVENT_REQUEST || next->client != entry->client)
        row(rows, ROW_CLIENT, "wakes, sends nothing");
}

static void write_row(struct rows *rows, const struct entry *entry) {
    const struct entry *before = entry_before(rows->record, entry);

    switch (entry->kind) {
    case EVENT_ASKED:   asked_row(rows, entry); break;
    case EVENT_REQUEST: request_row(rows, entry); break;
    case EVENT_REFUSED: refused_row(rows, entry); break;
    case EVENT_RAN:     ran_row(rows, entry); break;
    case EVENT_WAITS:
        if (was_held(rows, entry))
            wire_row(rows, '>', entry->request, " <delivered, waits>");
        break;
    case EVENT_PUSHED:
        if (!diagram_arrives(rows->diagram, rows->at))
            wire_row(rows, '<', entry->answer, " <held>");
        break;
    case EVENT_HEARD:   wire_row(rows, '<', entry->answer, ""); break;
    case EVENT_ANSWER:  answer_row(rows, entry); break;
    case EVENT_CUT:     cut_row(rows, entry); break;
    case EVENT_GAVE_UP: row(rows, ROW_CLIENT, "gives up waiting"); break;
    case EVENT_SLEEPS:  break;
    case EVENT_RESULT:  result_row(rows, entry); break;
    case EVENT_CLOCK:
        if (before && any_expires(rows->record, before, entry))
            let_time_pass(rows);
        break;
    case EVENT_SKEWED:
        row(rows, ROW_CLIENT, "clock %+lld s", (long long)(entry->ns / SECOND));
        break;
    case EVENT_NOTE:   row(rows, ROW_NOTE, "%s", entry->text); break;
    case EVENT_SERVER: row(rows, ROW_SERVER, "%s", entry->text); break;
    case EVENT_WOKE:   woke_row(rows, entry); break;
    default: plain_row(rows, entry); break;
    }
}

// --- all of them -------------------------------------------------------------

static bool is_on_server(enum event_kind kind) {
    return kind == EVENT_RAN || kind == EVENT_WAITS || kind == EVENT_PUSHED;
}

static void write_overlaps(struct rows *rows) {
    const struct diagram *diagram = rows->diagram;

    for (size_t i = 0; i < diagram->overlap_count; i++)
        if (diagram->overlaps[i].from == rows->at)
            add_row(rows, ROW_OVERLAP,
                    diagram_overlap_text(diagram, &diagram->overlaps[i]));
}

static void add(struct rows *rows, size_t i) {
    struct diagram *diagram = rows->diagram;
    const struct entry *entry = &rows->record->entries[i];

    rows->at = i;
    write_row(rows, entry);
    diagram->places[i] = (struct diagram_place){
        .row = (int)diagram->row_count - 1,
        .at_server = is_on_server(entry->kind),
    };
    write_overlaps(rows);
}

// Adds one row in place of all repetitions but the first. Returns the number of
// their entries.
static size_t skip_repeats(struct rows *rows, size_t first,
                           struct repeats found) {
    size_t count = found.period * (found.times - 1), last = first + count - 1;
    int64_t ms = rows->record->entries[last].time_ns / MILLISECOND;

    rows->at = last;
    row(rows, ROW_REPEATS, "… %zu times more like this, the last at %lld.%03d",
        found.times - 1, (long long)(ms / 1000), (int)(ms % 1000));
    for (size_t i = first; i <= last; i++)
        rows->diagram->places[i] = (struct diagram_place){
            .row = (int)rows->diagram->row_count - 1, .hidden = true};
    return count;
}

void diagram_write_rows(struct diagram *diagram) {
    struct rows rows = {.diagram = diagram, .record = diagram->record};

    for (size_t i = 0; i < diagram->record->entry_count;) {
        struct repeats found = repeated_entries(diagram->record, i);
        size_t end = i + (found.period > 0 ? found.period : 1);
        while (i < end)
            add(&rows, i++);
        if (found.period > 0)
            i += skip_repeats(&rows, i, found);
    }
    let_time_pass(&rows);
}
