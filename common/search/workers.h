// Workers: processes that run schedules side by side, each in its own world.
#ifndef WORKERS_H
#define WORKERS_H

#include "run.h"

#include <stddef.h>

// Starts `jobs` workers, all with the same setup. They end with this process.
void workers_open(const struct run_setup *setup, int jobs);
void workers_close(void);

// Runs all schedules; reports[i] becomes what run.h says of schedules[i]. The
// caller frees it.
void workers_run(char *const *schedules, char **reports, size_t count);

// How many schedules the workers have run so far.
size_t workers_runs(void);

#endif
