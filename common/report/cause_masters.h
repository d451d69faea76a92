// The locks on several masters, in words: for the other files of a cause.
#ifndef CAUSE_MASTERS_H
#define CAUSE_MASTERS_H

#include "cause_words.h"
#include "history.h"

// Is the lock what stands on a majority of several masters?
bool has_masters(const struct history *history);

// "the server"; of several, "server 3": the one to which `entry` happened.
void say_server_name(struct words *words, const struct history *history,
                     const struct entry *entry);

// ", and A was left with 2 of 5 masters": at `end`, of those that have the
// value of its hold, which began at `grant`.
void say_left(struct words *words, const struct history *history, size_t grant,
              size_t end, int client);

// ": A1 stood on 2 of 5 masters, B1 on 1, and 1 was down": before entry `i`.
void say_votes(struct words *words, const struct history *history, size_t i);

#endif
