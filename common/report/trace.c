// Two passes: the entries become rows, and when all rows are known the columns
// get their widths. A stream of rows would need fixed widths, and would either
// waste the page for two clients or cut the commands of four.
#include "trace.h"

#include "cause.h"
#include "colour.h"
#include "event_words.h"
#include "lock_words.h"
#include "neighbours.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

// --- rows --------------------------------------------------------------------

enum { TIME_COLUMN, LOCK_COLUMN, SECOND_LOCK_COLUMN };

struct writer {
    const struct record *record;
    struct table *table;
    bool wire;
    int first_client;      // the column of the first client
    int64_t time_ns;       // the last time shown; -1 before the first
    char lock[LOCK_WORDS]; // the last state shown; empty before the first
    char second[LOCK_WORDS];
    int master_width;      // of several masters, the letters that each gets
    size_t pause;          // the first entry of the second part
    size_t rows;           // how many rows the first part has
};

static void lock_cell(struct writer *writer, int column,
                      const struct lock_state *state, char shown[LOCK_WORDS]) {
    char words[LOCK_WORDS];

    lock_words(state, words);
    if (strcmp(words, shown) != 0) {
        table_cell(writer->table, column, "%s", words);
        strcpy(shown, words);
    }
}

static void masters_cell(struct writer *writer, const struct entry *entry) {
    char words[LOCK_WORDS];

    masters_words(entry, writer->record->masters, writer->master_width, words);
    if (strcmp(words, writer->lock) != 0) {
        table_cell(writer->table, LOCK_COLUMN, "%s", words);
        strcpy(writer->lock, words);
    }
}

static void start_row(struct writer *writer, const struct entry *entry) {
    table_row(writer->table);
    if (entry->time_ns != writer->time_ns) {
        int64_t ms = entry->time_ns / 1000000;
        table_cell(writer->table, TIME_COLUMN, "%lld.%03d",
                   (long long)(ms / 1000), (int)(ms % 1000));
        writer->time_ns = entry->time_ns;
    }
    if (entry->masters)
        masters_cell(writer, entry);
    else
        lock_cell(writer, LOCK_COLUMN, &entry->lock, writer->lock);
    if (writer->record->two_locks)
        lock_cell(writer, SECOND_LOCK_COLUMN, &entry->second, writer->second);
}

static void row(struct writer *writer, const struct entry *entry,
                const char *text, const char *mark) {
    start_row(writer, entry);
    table_cell(writer->table, writer->first_client + entry->client, "%s%s",
               text, mark);
}

static void add_words(struct writer *writer, const struct entry *entry,
                      const char *words) {
    table_add(writer->table, writer->first_client + entry->client, words);
}

// "inside for 30 s": the first word strikes the eye where there is colour.
static void add_result(struct writer *writer, const struct entry *entry) {
    int column = writer->first_client + entry->client;
    char lease[WORDS_SIZE];

    if (entry->operation == OPERATION_ENTER && entry->result == RESULT_OK)
        table_add_strong(writer->table, column, result_words(entry));
    else
        table_add(writer->table, column, result_words(entry));
    table_add(writer->table, column, lease_words(entry, lease));
}

// A message on the wire; of several masters, which one it goes to or comes
// from: "3> GET lock", "3< A1".
static void wire_row(struct writer *writer, const struct entry *entry,
                     char arrow, const char *text, const char *mark) {
    if (writer->record->masters == 1) {
        row(writer, entry, text, mark);
        return;
    }
    start_row(writer, entry);
    table_cell(writer->table, writer->first_client + entry->client,
               "%d%c %s%s", entry->server + 1, arrow, text, mark);
}

static void wire_line(struct writer *writer, char arrow, const char *bytes) {
    if (writer->wire && bytes)
        table_whole_line(writer->table, "   %c %s", arrow, bytes);
}

static bool follows(const struct writer *writer, const struct entry *entry,
                    enum event_kind kind) {
    const struct entry *next = entry_after(writer->record, entry);
    return next && next->kind == kind && next->client == entry->client;
}

// A request that does not run at once is held, and shows twice.
static void request_row(struct writer *writer, const struct entry *entry) {
    const struct entry *next = entry_after(writer->record, entry);
    bool at_once = same_exchange(entry, next) && next->kind == EVENT_RAN;
    bool waits = same_exchange(entry, next) && next->kind == EVENT_WAITS;

    wire_row(writer, entry, '>', entry->request,
             waits ? " <waits>" : at_once ? "" : " <held>");
    wire_line(writer, '>', entry->request_bytes);
}

static bool was_held(const struct writer *writer, const struct entry *entry) {
    const struct entry *before = entry_before(writer->record, entry);
    return !same_exchange(entry, before) || before->kind != EVENT_REQUEST;
}

static void ran_row(struct writer *writer, const struct entry *entry) {
    const struct entry *next = entry_after(writer->record, entry);

    if (was_held(writer, entry) && !entry->waited) {
        // The lock as it was: what the command did stands beside its answer.
        struct entry delivered = *entry;
        const struct entry *before = entry_before(writer->record, entry);
        if (before) {
            delivered.lock = before->lock;
            delivered.second = before->second;
            delivered.masters = before->masters;
        }
        wire_row(writer, &delivered, '>', entry->request, " <delivered>");
    }
    if (same_exchange(entry, next) &&
        (next->kind == EVENT_ANSWER || next->kind == EVENT_CUT))
        return;
    wire_row(writer, entry, '<', entry->answer, " <held>");
}

// The request went to the server after it was held, and is kept there.
static void waits_row(struct writer *writer, const struct entry *entry) {
    if (was_held(writer, entry))
        wire_row(writer, entry, '>', entry->request, " <delivered, waits>");
}

// One release can send a message to many: they stand in one row.
static void pushed_row(struct writer *writer, const struct entry *entry) {
    const struct entry *before = entry > writer->record->entries ? entry - 1
                                                                 : NULL;
    char text[128];

    snprintf(text, sizeof text, "%s <held>", entry->answer);
    if (!before || before->kind != EVENT_PUSHED ||
        before->client == entry->client)
        start_row(writer, entry);
    table_cell(writer->table, writer->first_client + entry->client, "%s", text);
    wire_line(writer, '<', entry->answer_bytes);
}

static void answer_row(struct writer *writer, const struct entry *entry) {
    const struct entry *before = entry_before(writer->record, entry);
    const struct entry *next = entry_after(writer->record, entry);
    const char *held = "";

    if (!same_exchange(entry, before) || before->kind != EVENT_RAN)
        held = " <delivered>";
    wire_row(writer, entry, '<', entry->answer, held);
    if (next && next->kind == EVENT_RESULT && next->client == entry->client) {
        add_words(writer, entry, ", ");
        add_result(writer, next);
    }
    wire_line(writer, '<', entry->answer_bytes);
}

static void cut_row(struct writer *writer, const struct entry *entry) {
    if (entry->answer) {
        wire_row(writer, entry, '<', entry->answer, " <lost>");
        wire_line(writer, '<', entry->answer_bytes);
    } else if (entry->request) {
        wire_row(writer, entry, '>', entry->request, " <lost>");
    } else {
        row(writer, entry, "connection cut", "");
    }
}

static void gave_up_row(struct writer *writer, const struct entry *entry) {
    row(writer, entry, "gives up waiting", "");
}

static void refused_row(struct writer *writer, const struct entry *entry) {
    start_row(writer, entry);
    if (writer->record->masters == 1)
        table_span(writer->table, writer->first_client,
                   "** the server refuses writes for a moment");
    else
        table_span(writer->table, writer->first_client,
                   "** server %d refuses writes for a moment",
                   entry->server + 1);
}

// A result stands beside the answer that led to it. It has a row of its own
// only if no answer led to it.
static void result_row(struct writer *writer, const struct entry *entry) {
    const struct entry *before = entry_before(writer->record, entry);

    if (before && before->kind == EVENT_ANSWER &&
        before->client == entry->client)
        return;
    row(writer, entry, "", "");
    add_result(writer, entry);
    if (entry->text && *entry->text) {
        add_words(writer, entry, ": ");
        add_words(writer, entry, entry->text);
    }
}

// Keys have expired on some of the masters.
static void masters_expire(struct writer *writer, const struct entry *before,
                           const struct entry *entry) {
    bool some = false;

    for (int m = 0; m < writer->record->masters; m++)
        some = some || (before->masters[m].exists && !entry->masters[m].exists);
    if (!some)
        return;
    start_row(writer, entry);
    if (before->lock.exists && !entry->lock.exists)
        table_cell(writer->table, LOCK_COLUMN, "%s  expired", writer->lock);
}

static void clock_row(struct writer *writer, const struct entry *entry) {
    const struct entry *before = entry_before(writer->record, entry);

    if (!before)
        return;
    if (entry->masters) {
        masters_expire(writer, before, entry);
        return;
    }
    bool first = before->lock.exists && !entry->lock.exists;
    bool second = before->second.exists && !entry->second.exists;
    if (first || second)
        start_row(writer, entry);
    if (first)
        table_cell(writer->table, LOCK_COLUMN, "expired");
    if (second)
        table_cell(writer->table, SECOND_LOCK_COLUMN, "expired");
}

// If something is done to a server, it changes the lock at once or not at all.
static void server_row(struct writer *writer, const struct entry *entry) {
    start_row(writer, entry);
    table_span(writer->table, writer->first_client, "** %s", entry->text);
}

static void asked_row(struct writer *writer, const struct entry *entry) {
    char words[WORDS_SIZE];

    asked_words(entry, words);
    if (*words)
        row(writer, entry, words, "");
}

static void skew_row(struct writer *writer, const struct entry *entry) {
    char text[64];
    snprintf(text, sizeof text, "clock %+lld s",
             (long long)(entry->ns / 1000000000));
    row(writer, entry, text, "");
}

// "cut off from 4", and "cut off" from all of them.
static void plain_row(struct writer *writer, const struct entry *entry) {
    char server[32] = "";

    if (entry->one_way)
        snprintf(server, sizeof server, "%s %d",
                 entry->kind == EVENT_ISOLATED ? " from" : ":",
                 entry->server + 1);
    row(writer, entry, happening_words(entry), server);
}

static void add(struct writer *writer, const struct entry *entry) {
    switch (entry->kind) {
    case EVENT_ASKED:   asked_row(writer, entry); break;
    case EVENT_REQUEST: request_row(writer, entry); break;
    case EVENT_REFUSED: refused_row(writer, entry); break;
    case EVENT_RAN:     ran_row(writer, entry); break;
    case EVENT_WAITS:   waits_row(writer, entry); break;
    case EVENT_PUSHED:  pushed_row(writer, entry); break;
    case EVENT_HEARD:
        wire_row(writer, entry, '<', entry->answer, " <delivered>");
        break;
    case EVENT_ANSWER:  answer_row(writer, entry); break;
    case EVENT_CUT:     cut_row(writer, entry); break;
    case EVENT_GAVE_UP: gave_up_row(writer, entry); break;
    case EVENT_SLEEPS:  break;
    case EVENT_RESULT:  result_row(writer, entry); break;
    case EVENT_CLOCK:   clock_row(writer, entry); break;
    case EVENT_SKEWED:  skew_row(writer, entry); break;
    case EVENT_NOTE:    table_dim_line(writer->table, "-- %s", entry->text); break;
    case EVENT_WOKE:
        if (!follows(writer, entry, EVENT_REQUEST))
            row(writer, entry, "wakes, sends nothing", "");
        break;
    case EVENT_SERVER:  server_row(writer, entry); break;
    default:
        plain_row(writer, entry);
        break;
    }
}

// --- what repeats itself -----------------------------------------------------

// "and 13 times more like this, the last one at 1.400": in place of the rows of
// all repetitions but the first. Returns how many entries that were.
static size_t skip_repeats(struct writer *writer, size_t first,
                           struct repeats found) {
    const struct record *record = writer->record;
    size_t count = found.period * (found.times - 1);
    const struct entry *last = &record->entries[first + count - 1];
    int64_t ms = last->time_ns / 1000000;

    writer->time_ns = last->time_ns;
    table_line(writer->table,
               "   … %zu times more like this, the last at %lld.%03d",
               found.times - 1, (long long)(ms / 1000), (int)(ms % 1000));
    return count;
}

static void add_all(struct writer *writer) {
    const struct record *record = writer->record;

    for (size_t i = 0; i < record->entry_count;) {
        struct repeats found = {0};
        if (!writer->wire)
            found = repeated_entries(record, i);
        size_t end = i + (found.period > 0 ? found.period : 1);
        while (i < end) {
            add(writer, &record->entries[i++]);
            if (i <= writer->pause)
                writer->rows = table_rows(writer->table);
        }
        if (found.period > 0)
            i += skip_repeats(writer, i, found);
    }
}

// --- the page ----------------------------------------------------------------

static void print_head(FILE *out, const struct record *record) {
    char left[128], right[128];

    snprintf(left, sizeof left, "%s on %s", record->race, record->lock);
    int length = snprintf(right, sizeof right, "%s, lease %d", record->server,
                          record->lease_ms / 1000);
    if (record->lease_ms % 1000)
        length += snprintf(right + length, sizeof right - (size_t)length,
                           ".%03d", record->lease_ms % 1000);
    snprintf(right + length, sizeof right - (size_t)length, " s");
    int gap = page_width(out) - (int)strlen(left) - (int)strlen(right);
    if (gap < 2 && screen_width(out) < PAGE_WIDTH)
        fprintf(out, "%s\n%s\n\n", left, right);
    else
        fprintf(out, "%s%*s%s\n\n", left, gap > 2 ? gap : 2, "", right);
}

static void print_because(FILE *out, const struct record *record) {
    char *why = NULL;

    if (asprintf(&why, "%s%s", cause_beginning(record), record->because) < 0)
        abort(); // no memory
    table_wrap(out, why, page_width(out));
    free(why);
}

static void print_verdict(FILE *out, const struct record *record) {
    static const char *const colours[] = {
        [VERDICT_HOLDS] = "1;32",
        [VERDICT_BROKEN] = COLOUR_BROKEN,
        [VERDICT_CANNOT_HAPPEN] = "1;33",
        [VERDICT_INCONCLUSIVE] = "1;35",
    };
    const char *word = verdict_word(record->verdict);
    fputc('\n', out);
    if (colour_wanted(out))
        fprintf(out, "\033[%sm%s\033[0m", colours[record->verdict], word);
    else
        fputs(word, out);
    if (*record->sentence)
        fputs(": ", out);
    table_wrap_after(out, record->sentence, screen_width(out),
                     (int)strlen(word) + 2);
    if (!*record->because)
        return;
    print_because(out, record);
    if (*record->answered_by)
        table_wrap(out, record->answered_by, page_width(out));
}

// Always one line, however long, because the reader copies it.
static void print_schedule(FILE *out, const struct record *record) {
    if (!record->replays)
        return;
    fputc('\n', out);
    schedule_print_again(&record->schedule, record->guest, out);
}

// All rows; the caller closes the table.
static void write_rows(struct writer *writer, const struct record *record,
                       bool wire, size_t pause) {
    int first = record->two_locks ? SECOND_LOCK_COLUMN + 1 : LOCK_COLUMN + 1;
    char head[LOCK_WORDS] = "lock";

    *writer = (struct writer){
        .record = record,
        .table = table_open(first + record->client_count, first),
        .first_client = first,
        .wire = wire,
        .time_ns = -1,
        .master_width = masters_width(record),
        .pause = pause,
        .rows = 1,
    };
    if (record->masters > 1)
        masters_head(record->masters, writer->master_width, head);
    table_head(writer->table, TIME_COLUMN, "time");
    table_head(writer->table, LOCK_COLUMN, head);
    if (record->two_locks)
        table_head(writer->table, SECOND_LOCK_COLUMN, "lock2");
    for (int i = 0; i < record->client_count; i++) {
        table_head(writer->table, first + i, record->clients[i]);
        table_colour(writer->table, first + i,
                     colour_of_client(record->clients[i]));
    }
    add_all(writer);
}

void trace_print_rows(FILE *out, const struct record *record, bool wire,
                      int width, bool colour) {
    struct writer writer;

    write_rows(&writer, record, wire, 0);
    table_print(writer.table, out, width, colour);
    table_close(writer.table);
}

void trace_print(FILE *out, const struct record *record, bool wire) {
    trace_print_until(out, record, wire, record->entry_count);
    trace_print_from(out, record, wire, record->entry_count);
}

void trace_print_until(FILE *out, const struct record *record, bool wire,
                       size_t entry) {
    struct writer writer;

    print_head(out, record);
    write_rows(&writer, record, wire, entry);
    table_print_some(writer.table, out, page_width(out), colour_wanted(out), 0,
                     writer.rows);
    table_close(writer.table);
}

void trace_print_from(FILE *out, const struct record *record, bool wire,
                      size_t entry) {
    struct writer writer;

    write_rows(&writer, record, wire, entry);
    table_print_some(writer.table, out, page_width(out), colour_wanted(out),
                     writer.rows, table_rows(writer.table));
    table_close(writer.table);
    print_verdict(out, record);
    print_schedule(out, record);
}
