#include "event_words.h"

#include "base/units.h"

#include <stdio.h>

const char *result_words(const struct entry *entry) {
    if (entry->result == RESULT_BUSY)
        return "busy";
    if (entry->result == RESULT_UNKNOWN)
        return "unknown";
    if (entry->result == RESULT_ERROR)
        return "error";
    if (entry->result == RESULT_CANNOT)
        return "cannot";
    switch (entry->operation) {
    case OPERATION_ENTER:
        if (entry->result == RESULT_LOST)
            return "lost";
        return entry->depth > 1 ? "inside again" : "inside";
    case OPERATION_LEAVE:
        if (entry->result == RESULT_LOST)
            return "not its own";
        return entry->depth > 0 ? "still inside" : "outside";
    case OPERATION_HELD:
        return entry->result == RESULT_OK ? "still holds it"
                                          : "knows that it is lost";
    case OPERATION_WRITE:
    case OPERATION_WRITE_APART:
        return entry->result == RESULT_LOST ? "refused" : "written";
    case OPERATION_REOPEN:
        return "closed and opened anew";
    }
    return "";
}

const char *lease_words(const struct entry *entry, char words[WORDS_SIZE]) {
    char span[SPAN_WORDS];

    *words = '\0';
    if (entry->ns >= MILLISECOND && entry->result == RESULT_OK)
        snprintf(words, WORDS_SIZE, " for %s", span_words(entry->ns, span));
    return words;
}

const char *happening_words(const struct entry *entry) {
    switch (entry->kind) {
    case EVENT_KILLED:         return "killed";
    case EVENT_CRASHED:        return "crashes";
    case EVENT_QUIT:           return "ends its process";
    case EVENT_ENDLESS:        return "comes to no end";
    case EVENT_STOPPED:        return entry->text ? entry->text : "stopped";
    case EVENT_CONTINUED:      return "continues";
    case EVENT_ISOLATED:       return "cut off";
    case EVENT_RECONNECTED:    return "reachable again";
    case EVENT_WORK_DONE:      return "work done";
    case EVENT_HUNG:           return "hangs";
    default:                   return NULL;
    }
}

// The words for an operation of a thread that is not the client's first.
static const char *deed_words(enum operation operation) {
    switch (operation) {
    case OPERATION_ENTER:       return "tries";
    case OPERATION_LEAVE:       return "releases";
    case OPERATION_HELD:        return "is asked";
    case OPERATION_WRITE:
    case OPERATION_WRITE_APART: return "writes";
    case OPERATION_REOPEN:      return "opens the lock anew";
    }
    return "";
}

void asked_words(const struct entry *entry, char words[WORDS_SIZE]) {
    char span[SPAN_WORDS], thread[24] = "";

    *words = '\0';
    if (entry->thread > 1)
        snprintf(thread, sizeof thread, "thread %d ", entry->thread);
    if (entry->patience_ns >= MILLISECOND)
        snprintf(words, WORDS_SIZE, "%swaits up to %s", thread,
                 span_words(entry->patience_ns, span));
    else if (entry->patience_ns != 0)
        snprintf(words, WORDS_SIZE, "%stries once", thread);
    else if (*thread)
        snprintf(words, WORDS_SIZE, "%s%s", thread,
                 deed_words(entry->operation));
}
