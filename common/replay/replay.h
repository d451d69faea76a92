// Replays a schedule: plays the same steps in the same order, on any lock.
#ifndef REPLAY_H
#define REPLAY_H

#include "finding.h"

#include "race/director.h"

// Plays the steps. The first that does not exist here ends it with the verdict
// CANNOT HAPPEN, unless the lock is lost by then; false.
bool replay_steps(struct race *race, const struct schedule *schedule);

// Builds the race, plays, prints. The exit status of a scenario.
int replay(const struct options *options, const char *title, const char *lock,
           const struct schedule *schedule);

// Plays the schedule in a process of its own and prints nothing. Returns what
// was lost.
struct finding replay_quietly(const struct options *options, const char *lock,
                              const struct schedule *schedule);

#endif
