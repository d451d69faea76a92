// Mermaid cannot draw a message that leans, so a message that is held is a note
// where it is sent and an arrow where it arrives. Each message is one arrow.
// Mermaid draws no bar for a client that is activated and never deactivated. So
// the clients that are inside at the end are deactivated before the verdict.
#include "diagram_mermaid.h"

#include "diagram.h"
#include "markup.h"
#include "report/cause.h"
#include "report/lock_words.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 48 };

struct mermaid {
    FILE *out;
    const struct diagram *diagram;
    const struct record *record;
    char lock[LOCK_WORDS]; // the value that was shown last
};

// --- text --------------------------------------------------------------------

// Letters, digits and a few signs mean nothing to Mermaid. Everything else is
// written by its number.
static void text(FILE *out, const char *words) {
    for (const char *c = words; *c; c++)
        if ((unsigned char)*c >= 0x80 || isalnum((unsigned char)*c) ||
            strchr(" ,.:'\"()[]=_/-+!?", *c))
            fputc(*c, out);
        else
            fprintf(out, "#%d;", *c);
}

static void lines(FILE *out, const char *words) {
    const char *rest = words;
    char *line;

    for (int i = 0; (line = markup_line(&rest, LONGEST_LINE)); i++) {
        fputs(i > 0 ? "<br/>" : "", out);
        text(out, line);
        free(line);
    }
}

static void row_text(FILE *out, const struct diagram_row *row) {
    lines(out, row->text);
    fputs(*row->text && *row->meaning ? ", " : "", out);
    lines(out, row->meaning);
}

static void note(const struct mermaid *mermaid, const char *over,
                 const char *words) {
    fprintf(mermaid->out, "    Note over %s: ", over);
    lines(mermaid->out, words);
    fputc('\n', mermaid->out);
}

// --- names -------------------------------------------------------------------

static const char *client_of(const struct mermaid *mermaid, int client) {
    return mermaid->record->clients[client];
}

static void server_name(const struct mermaid *mermaid, int server,
                        char name[24]) {
    if (mermaid->record->masters > 1)
        snprintf(name, 24, "lock%d", server + 1);
    else
        strcpy(name, "lock");
}

// The names of all participants: "lock,C".
static void all_names(const struct mermaid *mermaid, char names[64]) {
    char first[24];
    int last = mermaid->record->client_count - 1;

    server_name(mermaid, 0, first);
    snprintf(names, 64, "%s%s%s", first, last < 0 ? "" : ",",
             last < 0 ? "" : client_of(mermaid, last));
}

static void print_names(const struct mermaid *mermaid) {
    char name[24];

    for (int i = 0; i < mermaid->record->masters; i++) {
        server_name(mermaid, i, name);
        fprintf(mermaid->out, "    participant %s\n", name);
    }
    for (int i = 0; i < mermaid->record->client_count; i++)
        fprintf(mermaid->out, "    participant %s\n", client_of(mermaid, i));
}

// --- rows --------------------------------------------------------------------

// Mermaid's name of an arrow: "->>" arrives, "-x" does not, "-)" has not yet.
static const char *arrow_of(enum arrival arrival) {
    return arrival == ARRIVES ? "->>" : arrival == NEVER_ARRIVES ? "-x" : "-)";
}

// A message is drawn where it arrives or is lost; if it stays under way, where
// it was sent.
static const struct diagram_arrow *arrow_at(const struct diagram *diagram,
                                            size_t entry, bool to_client) {
    for (size_t i = 0; i < diagram->arrow_count; i++) {
        const struct diagram_arrow *arrow = &diagram->arrows[i];
        size_t at = arrow->to == NOWHERE || (!to_client && !arrow->held)
                        ? arrow->from : arrow->to;
        if (arrow->to_client == to_client && at == entry)
            return arrow;
    }
    return NULL;
}

static void print_arrow(const struct mermaid *mermaid,
                        const struct diagram_arrow *arrow,
                        const struct diagram_row *row) {
    const char *client = client_of(mermaid, arrow->client);
    char server[24];

    server_name(mermaid, arrow->server, server);
    fprintf(mermaid->out, "    %s%s%s%s: ",
            arrow->to_client ? server : client, arrow->to_client ? "-" : "",
            arrow_of(arrow->arrival), arrow->to_client ? client : server);
    row_text(mermaid->out, row);
    fputc('\n', mermaid->out);
}

static void client_row(const struct mermaid *mermaid,
                       const struct diagram_row *row) {
    const struct entry *entry = &mermaid->record->entries[row->entry];
    bool answer = entry->kind == EVENT_ANSWER || entry->kind == EVENT_HEARD ||
                  entry->kind == EVENT_PUSHED ||
                  (entry->kind == EVENT_CUT && entry->answer) ||
                  (entry->kind == EVENT_RAN && row->shows_answer);
    const struct diagram_arrow *arrow =
        entry->connection ? arrow_at(mermaid->diagram, row->entry, answer)
                          : NULL;

    if (arrow) {
        print_arrow(mermaid, arrow, row);
        return;
    }
    fprintf(mermaid->out, "    Note over %s: ", client_of(mermaid, row->client));
    row_text(mermaid->out, row);
    fputc('\n', mermaid->out);
}

static void overlap_row(const struct mermaid *mermaid,
                        const struct diagram_row *row) {
    const struct diagram_overlap *overlap = mermaid->diagram->overlaps;
    char over[64];

    while (overlap->from != row->entry)
        overlap++;
    snprintf(over, sizeof over, "%s,%s",
             client_of(mermaid, __builtin_ctz(overlap->clients)),
             client_of(mermaid, 31 - __builtin_clz(overlap->clients)));
    note(mermaid, over, row->text);
}

static void print_row(const struct mermaid *mermaid,
                      const struct diagram_row *row) {
    char over[64], words[64];

    all_names(mermaid, over);
    switch (row->kind) {
    case ROW_CLIENT:  client_row(mermaid, row); break;
    case ROW_OVERLAP: overlap_row(mermaid, row); break;
    case ROW_TIME:
        snprintf(words, sizeof words, "%s pass", row->text);
        note(mermaid, over, words);
        break;
    default: note(mermaid, over, row->text); break;
    }
}

// --- changes with a row ------------------------------------------------------

static int row_of(const struct diagram *diagram, size_t entry) {
    return entry == NOWHERE ? -1 : diagram->places[entry].row;
}

// A stay that begins and ends in one row is left out.
static void print_activations(const struct mermaid *mermaid, int row) {
    const struct diagram *diagram = mermaid->diagram;

    for (int begins = 0; begins < 2; begins++)
        for (size_t i = 0; i < diagram->stay_count; i++) {
            const struct diagram_stay *stay = &diagram->stays[i];
            int from = row_of(diagram, stay->from);
            int to = row_of(diagram, stay->to);
            if (stay->works && from != to && row == (begins ? from : to))
                fprintf(mermaid->out, "    %sactivate %s\n",
                        begins ? "" : "de", client_of(mermaid, stay->client));
        }
}

// Prints the lock where its value has changed. (Of several masters: the value
// on a majority.)
static void print_lock(struct mermaid *mermaid, int row) {
    const struct record *record = mermaid->record;
    char words[LOCK_WORDS], name[24];

    for (size_t i = 0; i < record->entry_count; i++) {
        const struct entry *entry = &record->entries[i];
        const char *value = entry->lock.exists ? entry->lock.value : "";
        if (mermaid->diagram->places[i].row != row ||
            strcmp(value, mermaid->lock) == 0)
            continue;
        strcpy(mermaid->lock, value);
        lock_words(&entry->lock, words);
        server_name(mermaid, 0, name);
        fprintf(mermaid->out, "    Note left of %s: ", name);
        lines(mermaid->out, entry->lock.exists ? words : "no lock");
        fputc('\n', mermaid->out);
    }
}

// Ends the stays that the run did not end.
static void print_open_ends(const struct mermaid *mermaid) {
    const struct diagram *diagram = mermaid->diagram;

    for (size_t i = 0; i < diagram->stay_count; i++)
        if (diagram->stays[i].works && diagram->stays[i].to == NOWHERE)
            fprintf(mermaid->out, "    deactivate %s\n",
                    client_of(mermaid, diagram->stays[i].client));
}

// --- the diagram -------------------------------------------------------------

static void print_verdict(const struct mermaid *mermaid) {
    const struct record *record = mermaid->record;
    char over[64];

    all_names(mermaid, over);
    fprintf(mermaid->out, "    Note over %s: %s", over,
            verdict_word(record->verdict));
    if (*record->sentence) {
        fputs(": ", mermaid->out);
        lines(mermaid->out, record->sentence);
    }
    if (*record->because) {
        fprintf(mermaid->out, "<br/>%s", cause_beginning(record));
        lines(mermaid->out, record->because);
    }
    fputc('\n', mermaid->out);
}

void diagram_mermaid_print(FILE *out, const struct record *record) {
    struct diagram diagram;
    struct mermaid mermaid = {.out = out, .diagram = &diagram,
                              .record = record};

    diagram_open(&diagram, record);
    fprintf(out, "sequenceDiagram\n    title %s on %s\n", record->race,
            record->lock);
    print_names(&mermaid);
    for (size_t i = 0; i < diagram.row_count; i++) {
        print_row(&mermaid, &diagram.rows[i]);
        print_lock(&mermaid, (int)i);
        print_activations(&mermaid, (int)i);
    }
    print_open_ends(&mermaid);
    print_verdict(&mermaid);
    diagram_close(&diagram);
}
