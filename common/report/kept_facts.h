// Facts of a run that holds, for its causes (cause_kept.c).
#ifndef KEPT_FACTS_H
#define KEPT_FACTS_H

#include "cause_words.h"

#include <stdbool.h>
#include <stddef.h>

const struct entry *kept_entry(const struct history *history, size_t i);
const char *kept_name(const struct history *history, int client);

// Is this operation about this lock?
bool kept_is_about(const struct history *history, const struct entry *entry);

// Is the client inside before entry `i`, as the judge counts?
bool kept_is_inside(const struct history *history, size_t i, int client);

// Has the process of this client ended before entry `i`, or does it hang?
bool kept_is_over(const struct history *history, size_t i, int client);

// The entry before `i` that made this lock, or wrote it over another one.
size_t kept_maker(const struct history *history, size_t i);

// The owner of the lock before entry `i`, or NOBODY. The next client in a queue
// is not known as the owner.
int kept_owner_before(const struct history *history, size_t i);

// Is this a watchdog's command for this lock, and not a sign of life? Of two
// locks, nobody knows for which it is.
bool kept_is_watchdogs(const struct history *history, size_t ran);

// Is this a command with which its client releases the lock?
bool kept_is_release(const struct history *history, size_t ran);

void say_kept_when(struct words *words, const struct history *history,
                   size_t i);

// "A's "DEL lock" was answered 0 at 31.000"
void say_kept_answered(struct words *words, const struct history *history,
                       size_t ran);

#endif
