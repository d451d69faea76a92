// Why a run holds in which a client had to get in: for cause_kept.c. The
// sayings return the entry that they name, or NOWHERE if they say nothing.
#ifndef KEPT_IN_H
#define KEPT_IN_H

#include "cause_words.h"

#include <stddef.h>

// The inner release of a client that was inside more than once.
size_t say_inner_release(struct words *words, const struct history *history);

// The end of the last lock before `grant`; NOWHERE: there was none, or there is
// no grant.
size_t kept_end_before(const struct history *history, size_t grant);

// The lock that had stood in the client's way ended; or there was none.
size_t say_got_in(struct words *words, const struct history *history,
                  int client);

#endif
