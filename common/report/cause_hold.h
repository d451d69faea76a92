// How a hold of a lock ended, in words: for cause.c.
#ifndef CAUSE_HOLD_H
#define CAUSE_HOLD_H

#include "cause_words.h"
#include "history.h"

// The first entry after `grant` at which the client's lock is no longer there,
// or no longer its own. NOWHERE if it still stands, or if `grant` is NOWHERE.
// While a server is dead nothing is under the key: whether the lock is gone
// shows when the server is back.
size_t end_of_hold(const struct history *history, size_t grant, int client);

// Was the lock's lease over at `end`, where the lock was found gone?
bool ran_out(const struct history *history, size_t end);

// The end of the lease that the lock had after entry `i`, in milliseconds.
int64_t lease_end_ms(const struct history *history, size_t i);

// Was this done to a server between these two entries?
bool was_done(const struct history *history, size_t from, size_t to,
              enum choice_kind kind);

// The command at `ran` hit the lock of another client, the victim: what its
// client could know of the owner.
void say_knowledge(struct words *words, const struct history *history,
                   size_t ran, size_t grant, int victim);

// "A's "DEL lock", sent at 29.000, ran at 60.000 and removed B's lock …"
void say_command_ended(struct words *words, const struct history *history,
                       size_t grant, size_t end, int victim);

// ". A was asked at 31.000 and said that it still held the lock"
void say_belief(struct words *words, const struct history *history,
                size_t end, int client);

// How the hold that began at `grant` ended at `end`.
void say_end(struct words *words, const struct history *history, size_t grant,
             size_t end, int victim);

#endif
