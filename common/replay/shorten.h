// Making a schedule shorter that a person has played.
#ifndef SHORTEN_H
#define SHORTEN_H

#include "race/options.h"
#include "schedule/schedule.h"

// Leaves out what is not needed to lose what the schedule loses first on this
// lock, until nothing more can be left out: first all that one client does,
// then one operation after the other, then single steps. (Zeller and
// Hildebrandt, Simplifying and Isolating Failure-Inducing Input, 2002, with
// pieces that belong together in the place of halves.) Returns how many steps
// are gone; -1 if the schedule loses nothing.
int shorten(const struct options *options, const char *lock,
            struct schedule *schedule);

#endif
