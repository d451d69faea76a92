// The smallest sets of assumptions under which a lock is clean.
//
// A schedule that loses a property breaks some assumptions; a lock needs at
// least one of these to be clean. So each search shows either that its
// assumptions are enough, or a schedule. The assumptions that this schedule
// breaks are the next to try: the tree of hitting sets (Reiter, A Theory of
// Diagnosis from First Principles, 1987).
#ifndef HITTING_SETS_H
#define HITTING_SETS_H

#include "lab/search/bounds_options.h"
#include "lab/search/search.h"

// Room for every set that there is.
enum { MOST_SETS = 1 << ASSUMPTIONS };

// The smallest sets of assumptions, beside those that are given, under which
// one property of one lock is clean. None contains another.
struct minimal_sets {
    unsigned sets[MOST_SETS];
    int count;           // 0: under none
    const char *missing; // the need that kept it from being tried, or NULL
};

// Searches for them, for each property of the lock. The settings are not
// completed yet, because that depends on the lock. `masters` counts for a lock
// that uses several. On a terminal, standard error shows how far it has come.
void hitting_sets_find(const struct settings *given, int masters,
                       const char *lock, struct minimal_sets answers[LOSSES]);

#endif
