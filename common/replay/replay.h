// Replaying a schedule: the same steps in the same order, on any lock.
#ifndef REPLAY_H
#define REPLAY_H

#include "race/director.h"

// Plays the steps. The first that does not exist here ends it with the verdict
// CANNOT HAPPEN, unless the lock is lost by then; false.
bool replay_steps(struct race *race, const struct schedule *schedule);

// Builds the race, plays, prints. The exit status of a scenario.
int replay(const struct options *options, const char *title, const char *lock,
           const struct schedule *schedule);

// What came of a schedule: which properties are lost (1 << property), none if a
// step does not exist. Where a step said what must be, also in which setting it
// was not so: a number for whom it was about, who was inside or about to get
// in, what time it was and how long the lock still stood. Elsewhere 0.
struct replayed {
    unsigned losses;
    uint64_t settings[PROPERTIES];
};

// Plays it in a process of its own and prints nothing.
struct replayed replay_quietly(const struct options *options, const char *lock,
                               const struct schedule *schedule);

#endif
