// Makes a schedule shorter, so that only the steps stay that its loss needs.
#ifndef SHORTEN_H
#define SHORTEN_H

#include "race/options.h"
#include "schedule/schedule.h"

// "A><" is two steps. Each step costs several replays.
enum { SHORTEN_MOST_STEPS = 4096 };

// Leaves out all steps that are not needed for the schedule's first loss on
// this lock. First all steps of one client are tried, then one operation after
// the other, then single steps, until nothing more can be left out. (Zeller and
// Hildebrandt, Simplifying and Isolating Failure-Inducing Input, 2002, with
// pieces that belong together in the place of halves.) The verdict's sentence
// stays the same, and so does its cause (finding.h). False if the schedule
// loses nothing. It has at most SHORTEN_MOST_STEPS.
bool shorten(const struct options *options, const char *lock,
             struct schedule *schedule);

#endif
