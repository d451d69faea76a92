#include "kept_facts.h"

#include <string.h>

const struct entry *kept_entry(const struct history *history, size_t i) {
    return &history->record->entries[i];
}

const char *kept_name(const struct history *history, int client) {
    return history->record->clients[client];
}

bool kept_is_about(const struct history *history,
                   const struct entry *entry) {
    return entry->operation != OPERATION_HELD &&
           entry->lock_number == history->lock;
}

// Does this entry of a client's say that it is inside no more?
static bool ends_stay(const struct history *history,
                      const struct entry *entry) {
    bool about = kept_is_about(history, entry);
    bool leaves = entry->kind == EVENT_ASKED && about &&
                  entry->operation == OPERATION_LEAVE;
    bool knows = entry->kind == EVENT_RESULT && !about &&
                 entry->result == RESULT_LOST;

    return leaves || knows || event_ends_client(entry->kind) ||
           entry->kind == EVENT_HUNG || entry->kind == EVENT_WORK_DONE;
}

bool kept_is_inside(const struct history *history, size_t i, int client) {
    bool inside = false;

    for (size_t j = 0; j < i; j++) {
        const struct entry *entry = kept_entry(history, j);
        bool gets_in = entry->operation == OPERATION_ENTER &&
                       entry->result == RESULT_OK;
        if (entry->client != client)
            continue;
        if (entry->kind == EVENT_RESULT && kept_is_about(history, entry))
            inside = gets_in || entry->depth > 0;
        else if (ends_stay(history, entry))
            inside = false;
    }
    return inside;
}

bool kept_is_over(const struct history *history, size_t i, int client) {
    for (size_t j = 0; j < i; j++)
        if (kept_entry(history, j)->client == client &&
            (event_ends_client(kept_entry(history, j)->kind) ||
             kept_entry(history, j)->kind == EVENT_HUNG))
            return true;
    return false;
}

size_t kept_maker(const struct history *history, size_t i) {
    while (i-- > 0)
        if (history->moments[i].change == MADE ||
            (history->moments[i].change == OVERWRITTEN &&
             (i == 0 ||
              history->moments[i].owner != history->moments[i - 1].owner)))
            return i;
    return NOWHERE;
}

int kept_owner_before(const struct history *history, size_t i) {
    const struct lock_state *lock = history_before(history, i);
    size_t made = kept_maker(history, i);

    if (i == 0 || (lock->first > 0 && made != NOWHERE &&
                   strcmp(lock->value,
                          history_state(history, made)->value) != 0))
                          return NOBODY;
    return history->moments[i - 1].owner;
}

bool kept_is_watchdogs(const struct history *history, size_t ran) {
    return !history->record->two_locks &&
           strstr(kept_entry(history, ran)->request, history->record->place) &&
           history_operation(history, ran) == NOWHERE;
}

void say_kept_when(struct words *words, const struct history *history,
                   size_t i) {
    say_at(words, " at ", kept_entry(history, i)->time_ns);
}

void say_kept_answered(struct words *words, const struct history *history,
                       size_t ran) {
    say_request(words, "", history->record, kept_entry(history, ran));
    say(words, " was answered %s", kept_entry(history, ran)->answer);
    say_kept_when(words, history, ran);
}

bool kept_is_release(const struct history *history, size_t ran) {
    size_t asked = kept_entry(history, ran)->kind == EVENT_RAN
                       ? history_operation(history, ran) : NOWHERE;

    return asked != NOWHERE &&
           kept_entry(history, asked)->operation == OPERATION_LEAVE &&
           kept_entry(history, asked)->lock_number == history->lock;
}
