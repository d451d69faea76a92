// Everything at once takes minutes. So what a command line leaves open is tried
// in a few small searches, one after the other: each has a bit of one thing.
// The memo serves them all but the last: a client with two locks has another
// history.
#ifndef PARTS_H
#define PARTS_H

#include "bounds_options.h"
#include "search.h"

enum part_kind {
    PART_MAIN,    // what usually goes wrong
    PART_NESTED,  // unless --nested: a nested call, and no lease that ends
    PART_HALFWAY, // unless --halfway
    PART_RARE,    // unless --faults: those that are left out in the first one
    PART_ROUNDS,  // unless --rounds: two rounds, and no lease that ends
    PART_ALONE,   // unless --rounds or --asks: one client, which asks itself
    PART_WRITES,  // unless --writes: writes, which alone count then
    PART_OWN,     // unless --own-lease, if the lock can: a lease of one's own
    PART_LOCKS,   // unless --locks, if the lock can and uses one server: a
                  // second lock, and no lease that ends
    PARTS,
};

struct part {
    bool wanted;
    struct bounds bounds;
    struct search_result result;
};

// All zero at first.
struct parts {
    struct part of[PARTS];
    bool seen[WITNESSES]; // in any of them
};

// In JSON, "two_rounds", and for a reader, "two rounds"; not of PART_MAIN.
const char *part_name(enum part_kind kind);
const char *part_title(enum part_kind kind);

// settings_begin(), for bounds that can be left open: what goes wrong in the
// first search, and -1 for what has a search of its own.
void parts_begin(struct settings *settings);

// After the command line, in place of settings_complete(): which searches there
// are, and within which bounds.
void parts_choose(struct parts *parts, struct settings *settings);

// Makes them, with the workers that are open. Refuses what was asked for and
// the lock cannot do; what only was left open, and the lock cannot do, is not
// wanted any more. `options->bounds` is of no account.
void parts_search(struct parts *parts, const struct settings *settings,
                  const struct search_options *options);

// Frees what the searches have found.
void parts_forget(struct parts *parts);

// The one with a shortest schedule that loses it; NULL: it is not lost.
const struct part *parts_losing(const struct parts *parts, enum loss loss);
int part_steps(const struct part *part, enum loss loss);

// Does one of them look for it?
bool parts_look_for(const struct parts *parts, enum loss loss);

// Nothing is left to try.
bool parts_are_complete(const struct parts *parts);

// The witness that all of them together miss to call it clean; or NULL.
const char *parts_missing(const struct parts *parts, enum loss loss);
enum answer parts_answer(const struct parts *parts, enum loss loss);

#endif
