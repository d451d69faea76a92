// The values that servers hold under the lock's key, in the words of a trace.
#ifndef LOCK_WORDS_H
#define LOCK_WORDS_H

#include "record.h"

enum { LOCK_WORDS = sizeof((struct lock_state *)0)->value + 64 };

// "A1, 30 s", or "-".
void lock_words(const struct lock_state *lock, char words[LOCK_WORDS]);

// Of several masters: "A1 A1 A1 - x 30 s". These are each one's value in
// `width` letters, "x" if it is down, and the rest of the lease on a majority.
void masters_words(const struct entry *entry, int masters, int width,
                   char words[LOCK_WORDS]);

// "1  2  3  4  5   lock": the head of that column.
void masters_head(int masters, int width, char words[LOCK_WORDS]);

// The number of letters that each master needs.
int masters_width(const struct record *record);

#endif
