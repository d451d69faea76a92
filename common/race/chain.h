// Races that follow one another in one process.
//
// A server of some engines needs a second to start. So ./scenarios/matrix
// starts a race together with those that shall follow it, in a variable:
// "0 crash_holding late_grant". When a race has been told for all locks of its
// command line, the process becomes the program of the next one, with the same
// arguments, and hands on the servers if they are as good as new
// (machine/handover.h). Otherwise the next one starts its own. Who fails ends
// the chain: what has not been told then is begun again by the matrix.
#ifndef CHAIN_H
#define CHAIN_H

#include "catalogue/races.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>

#define CHAIN_VARIABLE "LOCKSTEP_CHAIN"

// What the variable says when so many races follow the first one. The caller
// frees it.
char *chain_for(const struct race_entry *const *following, size_t count);

// Is this race one of a chain? Then `begun` is how many of its locks have been
// told.
bool chain_begins(size_t *begun);

// Does a race follow, when this one has been told for all of its locks?
bool chain_goes_on(void);

// Becomes the next race's program, or this one's again if `begun` of its locks
// (not 0) have been told and others have not. Hands on the world; NULL: there
// is none any more.
_Noreturn void chain_go_on(char *const argv[], size_t begun,
                           struct world *world);

#endif
