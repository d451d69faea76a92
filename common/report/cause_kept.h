// Why a run that HOLDS holds: the event that kept the lock's promise, found in
// the record as the cause of a loss is (cause.h).
//
// Several events of a run can be worth a sentence. The sentence names the first
// kind that the run has. The kinds are, in order: a refused write, a late
// command that changed nothing, a client that was kept out, a loss that was
// known. If the story says that a client must get in, the last kind is the end
// of the lock in its way.
#ifndef CAUSE_KEPT_H
#define CAUSE_KEPT_H

#include "record.h"

// A sentence that goes on after "Held because ", without line breaks, and the
// number of the entry that it names. The caller frees it. NULL: no event of
// this run can be named. `met` is the last thing that the story asked for.
char *cause_kept(const struct record *record, const struct lost_property *met,
                 size_t *entry);

#endif
