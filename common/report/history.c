#include "history.h"

#include <stdlib.h>
#include <string.h>

static const struct entry *entry_of(const struct history *history, size_t i) {
    return &history->record->entries[i];
}

const struct lock_state *history_state(const struct history *history,
                                       size_t i) {
    const struct entry *entry = entry_of(history, i);
    return history->lock ? &entry->second : &entry->lock;
}

const struct lock_state *history_before(const struct history *history,
                                        size_t i) {
    static const struct lock_state nothing = {.ttl_ms = -1};
    return i > 0 ? history_state(history, i - 1) : &nothing;
}

// --- commands and operations -------------------------------------------------

size_t history_last(const struct history *history, size_t i, int client,
                    enum event_kind kind) {
    while (i-- > 0) {
        const struct entry *entry = entry_of(history, i);
        if (entry->client == client && entry->kind == kind)
            return i;
    }
    return NOWHERE;
}

size_t history_sent(const struct history *history, size_t ran) {
    const struct entry *command = entry_of(history, ran);

    for (size_t i = ran; i-- > 0;) {
        const struct entry *entry = entry_of(history, i);
        if (entry->kind == EVENT_REQUEST && entry->client == command->client &&
            entry->connection == command->connection)
            return i;
    }
    return ran;
}

// Has the client sent anything on the connection of this command between these
// two entries, or the same command on another one?
static bool has_sent(const struct history *history, size_t from, size_t to,
                     const struct entry *command) {
    for (size_t i = from; i < to; i++) {
        const struct entry *entry = entry_of(history, i);
        if (entry->kind == EVENT_REQUEST && entry->client == command->client &&
            (entry->connection == command->connection ||
             strcmp(entry->request, command->request) == 0))
            return true;
    }
    return false;
}

// A command that a client sends after a timer woke it is its watchdog's. But if
// the operation under way has used the same connection before, the command is
// that operation's. So it is if the operation sends again on a new connection
// what got no answer on the old one.
size_t history_operation(const struct history *history, size_t ran) {
    size_t sent = history_sent(history, ran), woken = NOWHERE;
    const struct entry *command = entry_of(history, sent);

    for (size_t i = sent; i-- > 0;) {
        const struct entry *entry = entry_of(history, i);
        if (entry->client != command->client)
            continue;
        if (entry->kind == EVENT_RESULT)
            return NOWHERE;
        if (entry->kind == EVENT_WOKE && woken == NOWHERE)
            woken = i;
        if (entry->kind == EVENT_ASKED)
            return woken == NOWHERE || has_sent(history, i, woken, command)
                       ? i : NOWHERE;
    }
    return NOWHERE;
}

size_t history_result(const struct history *history, size_t asked) {
    if (asked == NOWHERE)
        return NOWHERE;
    for (size_t i = asked + 1; i < history->count; i++) {
        const struct entry *entry = entry_of(history, i);
        if (entry->kind == EVENT_RESULT &&
            entry->client == entry_of(history, asked)->client)
            return i;
    }
    return NOWHERE;
}

// The beginning of the attempt to which the command at `ran` belongs. The
// operation began at `asked`: one that waits makes many attempts.
static size_t attempt_of(const struct history *history, size_t asked,
                         size_t ran) {
    size_t sleeps = history_last(history, ran, entry_of(history, ran)->client,
                                 EVENT_SLEEPS);
    return sleeps != NOWHERE && sleeps > asked ? sleeps : asked;
}

bool history_refused(const struct history *history, size_t ran) {
    for (size_t i = ran + 1; i < history->count; i++) {
        const struct entry *entry = entry_of(history, i);
        if (entry->client != entry_of(history, ran)->client)
            continue;
        if (entry->kind == EVENT_SLEEPS)
            return true;
        if (entry->kind == EVENT_RESULT)
            return entry->result == RESULT_BUSY ||
                   entry->result == RESULT_LOST;
    }
    return false;
}

size_t history_asked(const struct history *history, size_t i, int client,
                     enum operation operation) {
    while ((i = history_last(history, i, client, EVENT_ASKED)) != NOWHERE) {
        const struct entry *entry = entry_of(history, i);
        if (entry->operation == operation &&
            (operation == OPERATION_HELD ||
             entry->lock_number == history->lock))
            return i;
    }
    return NOWHERE;
}

// The result of an attempt at this lock, if it has one.
static bool ends_with(const struct history *history, size_t asked,
                      enum result result) {
    size_t end = history_result(history, asked);
    return end != NOWHERE && entry_of(history, end)->result == result;
}

// The first command of this attempt that made the lock or wrote over it. The
// command at `last` did so, too.
static size_t first_change(const struct history *history, size_t asked,
                           size_t last) {
    for (size_t i = attempt_of(history, asked, last); i < last; i++) {
        const struct entry *entry = entry_of(history, i);
        if (entry->kind == EVENT_RAN &&
            entry->client == entry_of(history, last)->client &&
            history->moments[i].change != UNCHANGED &&
            history->moments[i].change != GONE &&
            history_operation(history, i) == asked)
            return i;
    }
    return last;
}

size_t history_grant(const struct history *history, int client) {
    for (size_t i = history->count; i-- > 0;) {
        const struct entry *entry = entry_of(history, i);
        if (entry->kind != EVENT_RAN || entry->client != client ||
            history->moments[i].change == UNCHANGED ||
            history->moments[i].change == GONE)
            continue;
        size_t asked = history_operation(history, i);
        if (asked != NOWHERE &&
            entry_of(history, asked)->operation == OPERATION_ENTER &&
            ends_with(history, asked, RESULT_OK))
            return first_change(history, asked, i);
    }
    return NOWHERE;
}

// --- where and how a client is -----------------------------------------------

int history_server(const struct history *history, size_t i, int client) {
    while (i-- > 0) {
        const struct entry *entry = entry_of(history, i);
        if (entry->kind == EVENT_SERVER && entry->done == CHOOSE_REACH &&
            entry->reaches == client)
            return entry->server;
    }
    return 0;
}

static bool is_in(const struct history *history, size_t i, int client,
                  enum event_kind begins, enum event_kind ends) {
    size_t begin = history_last(history, i, client, begins);
    size_t end = history_last(history, i, client, ends);
    return begin != NOWHERE && (end == NOWHERE || end < begin);
}

bool history_is_stopped(const struct history *history, size_t i, int client) {
    return is_in(history, i, client, EVENT_STOPPED, EVENT_CONTINUED);
}

bool history_is_cut_off(const struct history *history, size_t i, int client) {
    return is_in(history, i, client, EVENT_ISOLATED, EVENT_RECONNECTED);
}

// --- what happened to the lock -----------------------------------------------

// Has the lease's end moved? The rest of a lease shrinks by the time that has
// passed. In real time there is a tolerance, since commands take time.
static bool lease_moved(const struct lock_state *before,
                        const struct lock_state *now, int64_t passed_ms) {
    enum { SLACK_MS = 100 };

    if ((before->ttl_ms < 0) != (now->ttl_ms < 0))
        return true;
    return now->ttl_ms > before->ttl_ms - passed_ms ||
           now->ttl_ms < before->ttl_ms - passed_ms - SLACK_MS;
}

static enum change change_at(const struct history *history, size_t i) {
    const struct lock_state *before = history_before(history, i);
    const struct lock_state *now = history_state(history, i);
    int64_t passed_ns = i > 0 ? entry_of(history, i)->time_ns -
                                    entry_of(history, i - 1)->time_ns : 0;

    if (!before->exists || !now->exists)
        return before->exists ? GONE : now->exists ? MADE : UNCHANGED;
    if (strcmp(before->value, now->value) != 0)
        return OVERWRITTEN;
    return lease_moved(before, now, passed_ns / 1000000) ? LEASED : UNCHANGED;
}

// Was the lock made by the next entry, a command that waited in the server?
// Such a command runs right behind the one that lets it through.
static bool is_made_by_next(const struct history *history, size_t i) {
    if (history->moments[i].change != MADE || i + 1 == history->count ||
        entry_of(history, i)->kind != EVENT_RAN ||
        entry_of(history, i + 1)->kind != EVENT_RAN)
        return false;
    int client = entry_of(history, i + 1)->client;
    size_t waits = history_last(history, i, client, EVENT_WAITS);
    size_t ran = history_last(history, i, client, EVENT_RAN);
    return waits != NOWHERE && (ran == NOWHERE || ran < waits);
}

// The owner after this client's command has made the lock or written over it.
static int owner_by(const struct history *history, size_t i, int owner) {
    int client = entry_of(history, i)->client;
    size_t asked = history_operation(history, i);

    if (history->moments[i].change == MADE)
        return client;
    if (asked == NOWHERE ||
        entry_of(history, asked)->operation != OPERATION_ENTER ||
        history_refused(history, i))
        return owner; // the client wrote over it, and did not get it
    return client;
}

void history_open(struct history *history, const struct record *record,
                  int lock, size_t count) {
    int owner = NOBODY;
    int last = NOBODY; // the owner of a lock that a restart brings back
    bool made_before = false;

    *history = (struct history){record, lock, count,
                                calloc(count + 1, sizeof(struct moment))};
    for (size_t i = 0; i < count; i++) {
        const struct entry *entry = entry_of(history, i);
        struct moment *moment = &history->moments[i];
        moment->change = made_before ? MADE : change_at(history, i);
        made_before = is_made_by_next(history, i);
        if (made_before)
            moment->change = UNCHANGED;
        if (entry->kind == EVENT_RAN && (moment->change == MADE ||
                                         moment->change == OVERWRITTEN))
            owner = owner_by(history, i, owner);
        else if (moment->change == MADE)
            owner = entry->done == CHOOSE_START_SERVER ? last : NOBODY;
        if (entry->kind == EVENT_RAN && owner != NOBODY)
            last = owner;
        if (moment->change == GONE)
            owner = NOBODY;
        moment->owner = owner;
    }
}

void history_close(struct history *history) {
    free(history->moments);
}
