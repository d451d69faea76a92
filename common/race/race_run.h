// One run of a race on a lock, for the race's own program, the table and a
// replay.
//
//     struct race *race = race_new(&options, "expired_delete", "stage3_getset");
//     race_run(race, expired_delete);
//     race_conclude(race);
//     …                               the verdict and the record stand
//     race_free(race);
//
// race_play() makes a race and takes it as far as its verdict.
#ifndef RACE_RUN_H
#define RACE_RUN_H

#include "director.h"

// A race whose world begins with its first client (or race_begin()); until then
// its settings can be changed. The options are copied; what they point to, and
// the name, must live as long as the race.
struct race *race_new(const struct options *options, const char *name,
                      const char *lock);

// Calls story(race). False if a verb has ended the story early.
bool race_run(struct race *race, void (*story)(struct race *race));

// The end of the story: those inside are asked a last time, and the judge's
// verdict stands.
void race_conclude(struct race *race);

// In real time a busy machine can be too slow for a lease. Then the race is run
// again with a longer one: twice the time that was needed, and half a minute at
// most. A line on standard error says so. `spare` may be NULL.
struct race *race_play(const struct options *options, const char *name,
                       void (*story)(struct race *race), const char *lock,
                       struct world **spare);

// Starts a client that opens these locks (schedule_opened()). A story calls
// race_client() or race_client_of_two().
struct client *race_add_client(struct race *race, const char *name,
                               enum opened opened);

// Closes the world, too, unless it becomes the spare one (race->spare).
void race_free(struct race *race);

#endif
