// A race on one lock, for those that run races: a race's own program, the
// table, a replay.
//
//     struct race *race = race_new(&options, "expired_delete", "stage3_getset");
//     race_tell(race, expired_delete);
//     race_conclude(race);
//     …                               the verdict and the record stand
//     race_free(race);
#ifndef TELL_H
#define TELL_H

#include "director.h"

// A race whose world begins with its first client (or race_begin()); until then
// its settings can be changed. What is given must last as long as the race.
struct race *race_new(const struct options *options, const char *name,
                      const char *lock);

// Calls story(race). False if a verb has ended the story early.
bool race_tell(struct race *race, void (*story)(struct race *race));

// The end of the story: those inside are asked a last time, and the judge's
// verdict stands.
void race_conclude(struct race *race);

// With its world, unless that is kept as a spare one (race->spare).
void race_free(struct race *race);

#endif
