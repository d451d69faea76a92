// An entry and those around it: which belong to one exchange, and which repeat
// what stood before them.
#ifndef NEIGHBOURS_H
#define NEIGHBOURS_H

#include "record.h"

#include "base/repeats.h"

// The next entry, and the one before, or NULL; without what the server did by
// itself, beside what a client has asked for.
const struct entry *entry_after(const struct record *record,
                                const struct entry *entry);
const struct entry *entry_before(const struct record *record,
                                 const struct entry *entry);

// Are both of one client, on one connection?
bool same_exchange(const struct entry *one, const struct entry *other);

// The repetition that begins with this entry: the same commands and answers,
// always after the same pause. The numbers in them may differ.
struct repeats repeated_entries(const struct record *record, size_t i);

#endif
