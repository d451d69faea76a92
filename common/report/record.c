#include "record.h"

#include "base/fail.h"
#include "base/list.h"
#include "token_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void record_open(struct record *record) {
    memset(record, 0, sizeof *record);
    record->names = names_open();
}

void record_close(struct record *record) {
    for (size_t i = 0; i < record->entry_count; i++) {
        struct entry *entry = &record->entries[i];
        free(entry->request);
        free(entry->answer);
        free(entry->request_bytes);
        free(entry->answer_bytes);
        free(entry->text);
        free(entry->masters);
    }
    free(record->entries);
    schedule_clear(&record->schedule);
    names_close(record->names);
}

static bool varies(const struct message *message, size_t byte) {
    return byte - message->varying[0].from < message->varying[0].count ||
           byte - message->varying[1].from < message->varying[1].count;
}

// Writes bytes of the wire on one line, with control characters as in a C
// string: "\r\n". For a byte that is another one on each run stands "\x??".
static char *escaped(const struct message *message) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = must_have(open_memstream(&text, &size));

    for (size_t i = 0; i < message->length; i++) {
        unsigned char c = (unsigned char)message->bytes[i];
        if (varies(message, i))
            fputs("\\x??", out);
        else if (c == '\r')
            fputs("\\r", out);
        else if (c == '\n')
            fputs("\\n", out);
        else if (c == '\\')
            fputs("\\\\", out);
        else if (c < ' ' || c > '~')
            fprintf(out, "\\x%02x", c);
        else
            fputc(c, out);
    }
    fclose(out);
    return text;
}

static char *named(struct record *record, int client, const char *text) {
    const char *owner = client < 0 ? "" : record->clients[client];
    return names_apply(record->names, owner, text);
}

static char *named_bytes(struct record *record, int client,
                         const struct message *message) {
    char *text = escaped(message);
    char *result = named(record, client, text);
    free(text);
    return result;
}

static void name_value(struct record *record, int client,
                       struct lock_state *lock) {
    char *value = named(record, client, lock->value);

    snprintf(lock->value, sizeof lock->value, "%s", value);
    free(value);
}

void record_step(struct record *record, struct step step) {
    schedule_add(&record->schedule, step);
}

static void add_masters(struct record *record, struct entry *entry,
                        const struct event *event) {
    size_t size = (size_t)record->masters * sizeof *entry->masters;

    entry->masters = must_have(malloc(size));
    memcpy(entry->masters, event->masters, size);
    for (int i = 0; i < record->masters; i++)
        name_value(record, event->client, &entry->masters[i]);
}

// The words on the wire, or of a server.
static void add_words(struct record *record, struct entry *entry,
                      const struct event *event) {
    if (event->request) {
        entry->request = named(record, event->client, event->request->text);
        entry->request_bytes = named_bytes(record, event->client,
                                           event->request);
    }
    if (event->answer) {
        entry->answer = named(record, event->client, event->answer->text);
        entry->answer_bytes = named_bytes(record, event->client, event->answer);
    }
    if (event->text)
        entry->text = named(record, event->client, event->text);
}

static void add_entry(struct record *record, const struct event *event) {
    size_t count = record->entry_count++;
    struct entry *entry;

    record->entries = list_grow(record->entries, count, sizeof *entry);
    entry = &record->entries[count];
    *entry = (struct entry){
        .kind = event->kind,
        .time_ns = event->time_ns,
        .client = event->client,
        .connection = event->connection,
        .lock_number = event->lock_number,
        .thread = event->thread,
        .waited = event->waited,
        .write = event->write,
        .operation = event->operation,
        .result = event->result,
        .depth = event->depth,
        .ns = event->ns,
        .patience_ns = event->patience_ns,
        .lock = event->lock,
        .second = event->second,
        .server = event->server,
        .one_way = event->one_way,
    };
    if (event->kind == EVENT_SERVER && event->choice) {
        entry->done = event->choice->kind;
        entry->server = event->choice->server;
        entry->reaches = event->choice->client;
    }
    add_words(record, entry, event);
    name_value(record, event->client, &entry->lock);
    name_value(record, event->client, &entry->second);
    if (event->masters)
        add_masters(record, entry, event);
}

void record_add(struct record *record, const struct event *event) {
    if (event->kind == EVENT_CHOICE)
        record_step(record, (struct step){STEP_CHOICE, *event->choice});
    else
        add_entry(record, event);
}
