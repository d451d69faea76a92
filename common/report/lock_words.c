#include "lock_words.h"

#include <stdio.h>
#include <string.h>

// "30 s", or "no TTL".
static void lease_left(const struct lock_state *lock, char words[48]) {
    long long s = lock->ttl_ms / 1000;
    int ms = (int)(lock->ttl_ms % 1000);

    if (lock->ttl_ms < 0)
        strcpy(words, "no TTL");
    else if (ms == 0)
        snprintf(words, 48, "%lld s", s);
    else
        snprintf(words, 48, "%lld.%03d s", s, ms);
}

void lock_words(const struct lock_state *lock, char words[LOCK_WORDS]) {
    char left[48];

    lease_left(lock, left);
    if (lock->exists && lock->behind > 0)
        snprintf(words, LOCK_WORDS, "%s and %d more", lock->value,
                 lock->behind);
    else if (lock->exists && lock->with_holder)
        strcpy(words, lock->value);
    else if (lock->exists)
        snprintf(words, LOCK_WORDS, "%s, %s", lock->value, left);
    else
        strcpy(words, "-");
}

// --- several masters ---------------------------------------------------------

// A value is shown in a few letters beside the others: "A1 A1 A1 -  -  30 s".
// The time is what is left of the lock that stands on a majority.
enum { MASTER_WORDS = 8 };

static const char *master_word(const struct lock_state *lock) {
    return lock->exists ? lock->value : lock->down ? "x" : "-";
}

int masters_width(const struct record *record) {
    size_t width = 1;

    for (size_t i = 0; i < record->entry_count; i++)
        for (int m = 0; m < record->masters; m++) {
            const struct lock_state *locks = record->entries[i].masters;
            size_t length = locks ? strlen(master_word(&locks[m])) : 0;
            width = length > width ? length : width;
        }
    return width < MASTER_WORDS ? (int)width : MASTER_WORDS;
}

void masters_words(const struct entry *entry, int masters, int width,
                   char words[LOCK_WORDS]) {
    int length = 0;
    char left[48] = "";

    if (entry->lock.exists)
        lease_left(&entry->lock, left);
    for (int m = 0; m < masters; m++)
        length += snprintf(words + length, LOCK_WORDS - (size_t)length,
                           "%-*.*s ", width, width,
                           master_word(&entry->masters[m]));
    length += snprintf(words + length, LOCK_WORDS - (size_t)length, " %s",
                       left);
    while (length > 0 && words[length - 1] == ' ')
        words[--length] = '\0';
}

void masters_head(int masters, int width, char words[LOCK_WORDS]) {
    int length = 0;

    for (int m = 0; m < masters; m++)
        length += snprintf(words + length, LOCK_WORDS - (size_t)length,
                           "%-*d ", width, m + 1);
    snprintf(words + length, LOCK_WORDS - (size_t)length, " lock");
}
