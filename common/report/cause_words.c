#include "cause_words.h"

#include "base/units.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void words_open(struct words *words) {
    words->out = open_memstream(&words->text, &words->size);
}

char *words_close(struct words *words) {
    say(words, ".");
    fclose(words->out);
    return words->text;
}

void say(struct words *words, const char *format, ...) {
    va_list args;

    va_start(args, format);
    vfprintf(words->out, format, args);
    va_end(args);
}

void say_time(struct words *words, int64_t ns) {
    int64_t ms = ns / MILLISECOND;
    say(words, "%lld.%03d", (long long)(ms / 1000), (int)(ms % 1000));
}

void say_at(struct words *words, const char *before, int64_t ns) {
    say(words, "%s", before);
    say_time(words, ns);
}

void say_span(struct words *words, int64_t ms) {
    char span[SPAN_WORDS];

    say(words, "%s", span_words(ms * MILLISECOND, span));
}

void say_command(struct words *words, const char *request) {
    enum { LONGEST = 60 };

    if (strlen(request) <= LONGEST)
        say(words, "\"%s\"", request);
    else
        say(words, "\"%.*s...\"", LONGEST, request);
}

void say_request(struct words *words, const char *before,
                 const struct record *record, const struct entry *entry) {
    say(words, "%s%s's ", before, record->clients[entry->client]);
    say_command(words, entry->request);
}

// Finds the command in "an operator of server 2: DEL lock -> 1": where it
// begins, and how long it is.
static const char *operator_command(const char *text, size_t *length) {
    const char *command = strstr(text, ": ");
    const char *answer = NULL;

    command = command ? command + 2 : text;
    for (const char *next = command; (next = strstr(next, " -> ")); next++)
        answer = next;
    *length = answer ? (size_t)(answer - command) : strlen(command);
    return command;
}

void say_operator(struct words *words, const char *text) {
    size_t length;
    const char *command = operator_command(text, &length);
    say(words, "\"%.*s\"", (int)length, command);
}

static bool has_word(const char *text, size_t length, const char *word,
                     size_t word_length) {
    const char *end = text + length;

    for (const char *next = text; next < end; next++) {
        size_t here = strcspn(next, " ");
        here = next + here > end ? (size_t)(end - next) : here;
        if (here == word_length && memcmp(next, word, here) == 0)
            return true;
        next += here;
    }
    return false;
}

bool operator_names(const char *text, const char *word) {
    size_t length;
    const char *command = operator_command(text, &length);
    return has_word(command, length, word, strlen(word));
}

bool names_value(const char *request, const char *value) {
    size_t length = strcspn(value, "=");
    return length > 0 && has_word(request, strlen(request), value, length);
}

bool is_bare(const char *request) {
    const char *space = strchr(request, ' ');
    return space && !strchr(space + 1, ' ');
}

bool is_past(const char *value, const struct record *record, size_t i,
             int client) {
    enum { WORLD_BEGINS_S = 1000000000, DIGITS = 10 };
    int64_t skew_ns = 0;

    if (!record->replays || strlen(value) != DIGITS ||
        strspn(value, "0123456789") != DIGITS)
        return false;
    for (size_t j = 0; j < i; j++)
        if (record->entries[j].kind == EVENT_SKEWED &&
            record->entries[j].client == client)
            skew_ns = record->entries[j].ns;
    return atoll(value) < WORLD_BEGINS_S +
                              (record->entries[i].time_ns + skew_ns) / SECOND;
}

static void say_whose(struct words *words, const struct history *history,
                      size_t i) {
    int owner = i > 0 ? history->moments[i - 1].owner : NOBODY;

    if (owner == NOBODY)
        say(words, "%s", history_before(history, i)->value);
    else
        say(words, "%s's lock", history->record->clients[owner]);
}

void say_change(struct words *words, const struct history *history, size_t i) {
    const struct entry *entry = &history->record->entries[i];

    say_request(words, "", history->record, entry);
    switch (history->moments[i].change) {
    case MADE:
        say(words, " made a lock");
        break;
    case GONE:
        say(words, " removed ");
        say_whose(words, history, i);
        break;
    case OVERWRITTEN:
        say(words, " overwrote ");
        say_whose(words, history, i);
        break;
    default:
        say(words, " gave ");
        say_whose(words, history, i);
        say(words, " a new lease");
        break;
    }
    say_at(words, " at ", entry->time_ns);
}

int cause_lock(const struct record *record, const struct lost_property *lost) {
    if (lost->property != PROPERTY_ENTRY)
        return lost->lock;
    for (size_t i = record->entry_count; i-- > 0;) {
        const struct entry *entry = &record->entries[i];
        if (i <= lost->at && entry->kind == EVENT_ASKED &&
            entry->client == lost->client &&
            entry->operation == OPERATION_ENTER)
            return entry->lock_number;
    }
    return 0;
}
