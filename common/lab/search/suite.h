// The suite: the small searches that a command line leaves open.
//
// One search with nested calls, rare faults, two rounds and all else would take
// minutes. So the suite makes several, one after the other, each with one of
// these. The memo serves all but the last two: a client with two locks has
// another history, and one that opens them the other way round has a third.
#ifndef SUITE_H
#define SUITE_H

#include "bounds_options.h"
#include "search.h"

enum suite_kind {
    SUITE_MAIN,    // what usually goes wrong
    SUITE_NESTED,  // unless --nested: a nested call, and no lease that ends
    SUITE_HALFWAY, // unless --halfway
    SUITE_RARE,    // unless --faults: those that are left out in the first one
    SUITE_ROUNDS,  // unless --rounds: two rounds, and no lease that ends
    SUITE_ALONE,   // unless --rounds or --asks: one client, which asks itself
    SUITE_WRITES,  // unless --writes: writes, which alone count then
    SUITE_OWN,     // unless --own-lease, if the lock can: a lease of one's own
    SUITE_LOCKS,   // unless --locks, if the lock can and uses one server: a
                   // second lock, and no lease that ends
    SUITE_TURNED,  // wherever there is a second lock: its program opens that
                   // one first. The other search asks only exclusion of the
                   // lock that is opened second; here that one is asked
                   // everything
    SUITE_SIZE,
};

// One search of the suite.
struct suite_entry {
    bool wanted;
    struct bounds bounds;
    struct search_result result;
};

// All zero at first.
struct suite {
    struct suite_entry entries[SUITE_SIZE];
    bool seen[WITNESSES]; // in any of them
};

// In JSON, "two_rounds", and for a reader, "two rounds"; not of SUITE_MAIN.
const char *suite_kind_name(enum suite_kind kind);
const char *suite_kind_title(enum suite_kind kind);

// settings_begin() for a suite: the faults of the main search, and -1 for each
// bound that an entry of its own tries.
void suite_begin(struct settings *settings);

// Chooses the entries and their bounds, after the command line and in place of
// settings_complete().
void suite_choose(struct suite *suite, struct settings *settings);

// Runs the entries that are wanted, with the workers that are open. An option
// that the lock cannot follow is refused; an entry that nobody asked for, and
// that the lock cannot follow, is dropped. `options->bounds` is not read.
void suite_run(struct suite *suite, const struct settings *settings,
               const struct search_options *options);

// Frees what the searches have found.
void suite_forget(struct suite *suite);

// The entry with the shortest schedule that loses it; NULL: it is not lost.
const struct suite_entry *suite_losing(const struct suite *suite,
                                       enum loss loss);
int suite_entry_steps(const struct suite_entry *entry, enum loss loss);

// Does an entry look for this loss?
bool suite_looks_for(const struct suite *suite, enum loss loss);

// Have all entries tried everything within their bounds?
bool suite_is_complete(const struct suite *suite);

// The witness without which the property cannot be called clean, and which no
// entry has seen; or NULL.
const char *suite_missing(const struct suite *suite, enum loss loss);
enum answer suite_answer(const struct suite *suite, enum loss loss);

#endif
