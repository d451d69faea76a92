// Several processes that run schedules side by side, each in its own world.
#ifndef WORKERS_H
#define WORKERS_H

#include "run.h"

#include <stddef.h>

// Starts so many, all with the same clients. They end with this process.
void workers_open(const struct run_setup *setup, int jobs);
void workers_close(void);

// Runs all schedules; reports[i] becomes what run.h says of schedules[i]. The
// caller frees it.
void workers_run(char *const *schedules, char **reports, size_t count);

// How many it has run so far.
size_t workers_runs(void);

#endif
