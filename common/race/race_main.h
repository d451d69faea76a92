// ./scenarios/expired_delete: a race as a program.
#ifndef RACE_MAIN_H
#define RACE_MAIN_H

#include "catalogue/races.h"

// Runs the race on the locks that the command line names, and prints each run.
// Returns the exit status: 0 HOLDS or CANNOT HAPPEN, 1 BROKEN, 3 INCONCLUSIVE,
// or 2: a run has failed. Of several locks the greatest counts.
int race_main(const struct race_entry *race, int argc, char **argv);

#endif
