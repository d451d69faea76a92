#include "neighbours.h"

#include <string.h>

// --- exchanges ---------------------------------------------------------------

// Did the server do this by itself, beside what a client has asked for?
static bool is_aside(const struct entry *entry) {
    return entry->kind == EVENT_PUSHED ||
           (entry->kind == EVENT_RAN && entry->waited);
}

const struct entry *entry_after(const struct record *record,
                                const struct entry *entry) {
    const struct entry *end = record->entries + record->entry_count;

    do {
        if (++entry >= end)
            return NULL;
    } while (is_aside(entry));
    return entry;
}

const struct entry *entry_before(const struct record *record,
                                 const struct entry *entry) {
    do {
        if (entry == record->entries)
            return NULL;
        entry--;
    } while (is_aside(entry));
    return entry;
}

bool same_exchange(const struct entry *one, const struct entry *other) {
    return other && one->client == other->client &&
           one->connection == other->connection;
}

// --- what repeats itself -----------------------------------------------------

// Are the texts equal, but for the numbers in them? A poller's next token has
// another number, and what is left of a lease gets less.
static bool same_text(const char *one, const char *other) {
    if (!one || !other)
        return one == other;
    while (*one && *other) {
        size_t digits = strspn(one, "0123456789");
        size_t others = strspn(other, "0123456789");
        if ((digits > 0) != (others > 0))
            return false;
        one += digits;
        other += others;
        if (*one != *other)
            return false;
        one += *one != '\0';
        other += *other != '\0';
    }
    return *one == *other;
}

// The length of the name in front of a number at the end; -1: it is more than a
// name and a number.
static int name_length(const char *value) {
    size_t digits = strcspn(value, "0123456789");
    size_t length = digits + strspn(value + digits, "0123456789");
    return length > digits && !value[length] ? (int)digits : -1;
}

// A value that is only a number says nothing of an owner. And of the tokens of
// one client, A1 and A2, each is as good as the other.
static bool same_value(const char *one, const char *other) {
    int length = name_length(one);
    return strcmp(one, other) == 0 ||
           (length >= 0 && length == name_length(other) &&
            strncmp(one, other, (size_t)length) == 0);
}

static bool same_lock(const struct lock_state *one,
                      const struct lock_state *other) {
    return one->exists == other->exists &&
           (one->ttl_ms < 0) == (other->ttl_ms < 0) &&
           same_value(one->value, other->value);
}

static bool same_masters(const struct record *record, const struct entry *one,
                         const struct entry *other) {
    for (int m = 0; one->masters && m < record->masters; m++)
        if (!same_lock(&one->masters[m], &other->masters[m]))
            return false;
    return true;
}

// The time since the entry before.
static int64_t after(const struct record *record, size_t i) {
    return record->entries[i].time_ns -
           (i > 0 ? record->entries[i - 1].time_ns : 0);
}

// With time that passes; at the end of a client that comes to no end, also with
// a command.
static bool may_repeat(const void *items, size_t i) {
    const struct record *record = items;
    enum event_kind kind = record->entries[i].kind;
    enum event_kind last = record->entries[record->entry_count - 1].kind;

    return kind == EVENT_CLOCK ||
           (kind == EVENT_REQUEST && last == EVENT_ENDLESS);
}

static bool same_entry(const void *items, size_t i, size_t j) {
    const struct record *record = items;
    const struct entry *one = &record->entries[i];
    const struct entry *other = &record->entries[j];

    return one->kind == other->kind && one->client == other->client &&
           one->kind != EVENT_NOTE && one->kind != EVENT_ASKED &&
           one->kind != EVENT_RESULT && one->kind != EVENT_SERVER &&
           one->ns == other->ns && one->server == other->server &&
           after(record, i) == after(record, j) &&
           same_text(one->request, other->request) &&
           same_text(one->answer, other->answer) &&
           same_lock(&one->lock, &other->lock) &&
           same_lock(&one->second, &other->second) &&
           same_masters(record, one, other);
}

struct repeats repeated_entries(const struct record *record, size_t i) {
    const struct repeated_list list = {record, record->entry_count, may_repeat,
                                       same_entry};
    return repeats_at(&list, i);
}
