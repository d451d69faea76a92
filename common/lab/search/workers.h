// Workers: processes that run schedules side by side, each in its own world.
#ifndef WORKERS_H
#define WORKERS_H

#include "run.h"

#include <stddef.h>

// Starts `jobs` workers, all with the same setup. They end with this process.
void workers_open(const struct run_setup *setup, int jobs);
void workers_close(void);

// The schedule that a worker runs for job `number`: the first one when
// `report` is NULL. After that it is called with the report of each (run.h). It
// returns a schedule that begins as the last one and goes on: the worker makes
// its further steps in the same world. NULL: the job is done. The text must
// stay until the next call for this job.
typedef const char *next_order(void *argument, size_t number,
                               const char *report);

// Runs so many jobs, each from its first schedule to its last one.
void workers_run(size_t count, next_order *next, void *argument);

// The number of jobs that the workers have done so far.
size_t workers_runs(void);

#endif
