// How a hold of a lock ended, in words: for cause.c.
#ifndef CAUSE_HOLD_H
#define CAUSE_HOLD_H

#include "cause_words.h"
#include "history.h"

// The first entry after `grant` at which the client's lock is no longer there,
// or no longer its own; NOWHERE if it still stands. While a server is dead
// nothing is under the key: whether the lock is gone shows when the server is
// back.
size_t end_of_hold(const struct history *history, size_t grant, int client);

// The lock was found gone at `end`. Was its lease over then?
bool ran_out(const struct history *history, size_t end);

// Was this done to a server between these two entries?
bool was_done(const struct history *history, size_t from, size_t to,
              enum choice_kind kind);

// The knowledge that the client's command at `ran`, which hit somebody else's
// lock, could have of that lock's owner.
void say_knowledge(struct words *words, const struct history *history,
                   size_t ran, size_t grant, int victim);

// "A's "DEL lock", sent at 29.000, ran at 60.000 and removed B's lock …"
void say_command_ended(struct words *words, const struct history *history,
                       size_t grant, size_t end, int victim);

// ", and A, when asked at 31.000, said that it still held the lock"
void say_belief(struct words *words, const struct history *history,
                size_t end, int client);

// How the hold that began at `grant` ended at `end`.
void say_end(struct words *words, const struct history *history, size_t grant,
             size_t end, int victim);

#endif
