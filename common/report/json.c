#include "json.h"

#include "base/fail.h"
#include "base/text.h"
#include "sentences.h"
#include "trace.h"

#include <jansson.h>
#include <stdlib.h>

enum { FORMAT_VERSION = 1 };

static const char *event_word(enum event_kind kind) {
    static const char *const words[] = {
        [EVENT_ASKED] = "asked",
        [EVENT_REQUEST] = "request",
        [EVENT_REFUSED] = "refused",
        [EVENT_RAN] = "ran",
        [EVENT_WAITS] = "waits",
        [EVENT_PUSHED] = "pushed",
        [EVENT_HEARD] = "heard",
        [EVENT_ANSWER] = "answer",
        [EVENT_CUT] = "cut",
        [EVENT_GAVE_UP] = "gave up",
        [EVENT_SLEEPS] = "sleeps",
        [EVENT_RESULT] = "result",
        [EVENT_CLOCK] = "clock",
        [EVENT_WOKE] = "woke",
        [EVENT_SKEWED] = "skewed",
        [EVENT_KILLED] = "killed",
        [EVENT_CRASHED] = "crashed",
        [EVENT_QUIT] = "quit",
        [EVENT_ENDLESS] = "endless",
        [EVENT_STOPPED] = "stopped",
        [EVENT_CONTINUED] = "continued",
        [EVENT_ISOLATED] = "isolated",
        [EVENT_RECONNECTED] = "reconnected",
        [EVENT_SERVER] = "server",
        [EVENT_NOTE] = "note",
        [EVENT_WORK_DONE] = "work done",
        [EVENT_HUNG] = "hung",
    };
    return words[kind];
}

// A document has to be UTF-8. A byte that is not stands there as \xNN.
static json_t *json_text(const char *text) {
    json_t *string = json_string(text);
    char *escaped = NULL;
    size_t size = 0;

    if (string)
        return string;
    FILE *out = must_have(open_memstream(&escaped, &size));
    while (*text) {
        size_t length = text_character(text);
        if (length == 0)
            fprintf(out, "\\x%02x", (unsigned char)*text++);
        fwrite(text, 1, length, out);
        text += length;
    }
    fclose(out);
    string = must_have(json_string(escaped));
    free(escaped);
    return string;
}

static void put(json_t *object, const char *name, json_t *value) {
    json_object_set_new(object, name, value);
}

static void put_text(json_t *object, const char *name, const char *text) {
    if (text && *text)
        put(object, name, json_text(text));
}

static json_t *lock_object(const struct lock_state *lock) {
    if (!lock->exists)
        return json_null();
    json_t *object = json_object();
    put(object, "value", json_text(lock->value));
    put(object, "ttl_ms",
        lock->ttl_ms < 0 ? json_null() : json_integer(lock->ttl_ms));
    return object;
}

// The locks that several masters hold, in order.
static json_t *masters_array(const struct lock_state *locks, int masters) {
    json_t *array = json_array();

    for (int i = 0; i < masters; i++)
        json_array_append_new(array, lock_object(&locks[i]));
    return array;
}

static void put_operation(json_t *object, const struct entry *entry) {
    put(object, "operation", json_text(operation_word(entry->operation)));
    if (entry->lock_number > 0)
        put(object, "lock_number", json_integer(entry->lock_number + 1));
    if (entry->thread > 1)
        put(object, "thread", json_integer(entry->thread));
    if (entry->ns > 0)
        put(object, "lease_ms", json_integer(entry->ns / 1000000));
    if (entry->patience_ns > 0)
        put(object, "patience_ms", json_integer(entry->patience_ns / 1000000));
}

static json_t *event_object(const struct record *record,
                            const struct entry *entry, const char *says,
                            bool wire) {
    json_t *object = json_object();

    put(object, "time_ms", json_integer(entry->time_ns / 1000000));
    if (entry->client >= 0)
        put(object, "actor", json_text(record->clients[entry->client]));
    put(object, "event", json_text(event_word(entry->kind)));
    if (entry->kind == EVENT_ASKED || entry->kind == EVENT_SLEEPS ||
        entry->kind == EVENT_RESULT)
        put_operation(object, entry);
    if (entry->kind == EVENT_RESULT)
        put(object, "result", json_text(result_word(entry->result)));
    if (entry->kind == EVENT_SKEWED)
        put(object, "skew_ms", json_integer(entry->ns / 1000000));
    put_text(object, "text", entry->text);
    put_text(object, "says", says);
    if (entry->connection)
        put(object, "connection", json_integer(entry->connection));
    put_text(object, "command", entry->request);
    put_text(object, "answer", entry->answer);
    if (wire) {
        put_text(object, "command_bytes", entry->request_bytes);
        put_text(object, "answer_bytes", entry->answer_bytes);
    }
    if (record->masters > 1 && (entry->connection || entry->one_way))
        put(object, "server", json_integer(entry->server + 1));
    put(object, "lock", lock_object(&entry->lock));
    if (entry->masters)
        put(object, "masters", masters_array(entry->masters, record->masters));
    if (record->two_locks)
        put(object, "lock2", lock_object(&entry->second));
    return object;
}

static void put_trace(json_t *document, const struct record *record) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = must_have(open_memstream(&text, &size));

    trace_print(out, record, false);
    fclose(out);
    put(document, "trace", json_text(text));
    free(text);
}

static void put_picture(json_t *document, const struct record *record,
                        picture *draw) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = must_have(open_memstream(&text, &size));

    draw(out, record);
    fclose(out);
    put(document, "picture", json_text(text));
    free(text);
}

void json_print(FILE *out, const struct record *record,
                struct json_more more) {
    json_t *document = json_object();
    json_t *versions = json_object();
    json_t *events = json_array();
    char **says = sentences_of(record);

    put(versions, "server", json_text(record->server));
    for (size_t i = 0; i < record->entry_count; i++)
        json_array_append_new(events,
                              event_object(record, &record->entries[i],
                                           says[i], more.wire));
    sentences_free(says, record);
    put(document, "format", json_integer(FORMAT_VERSION));
    put(document, "race", json_text(record->race));
    put(document, "lock", json_text(record->lock));
    put(document, "versions", versions);
    put(document, "lease_ms", json_integer(record->lease_ms));
    put(document, "verdict", json_text(verdict_word(record->verdict)));
    put(document, "reason", json_text(record->sentence));
    put_text(document, "because", record->because);
    put_text(document, "answered_by", record->answered_by);
    if (*record->because && record->verdict == VERDICT_HOLDS)
        put(document, "decided_at", json_integer((json_int_t)record->decided));
    if (record->replays) {
        char *schedule = schedule_text(&record->schedule);
        put(document, "schedule", json_text(schedule));
        free(schedule);
    }
    put(document, "events", events);
    if (more.draw) {
        put_trace(document, record);
        put_picture(document, record, more.draw);
    }
    json_dumpf(document, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(document);
}
