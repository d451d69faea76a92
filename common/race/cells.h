// Cells: races against locks, run by worker processes.
//
// A worker process runs one race after the other. It uses the same servers as
// long as they can forget what a race did to them: their start costs more than
// half of a race. A cell that crashes, hangs or runs out of memory takes only
// its worker with it. The process that wants the cells then notes the cell and
// the reason, and starts the next worker.
//
// Rejected: a process for each cell, which shares the servers of its parent. It
// is not the servers' parent, so it could not wait until they are stopped.
#ifndef CELLS_H
#define CELLS_H

#include "catalogue/races.h"
#include "options.h"

#include <stdbool.h>
#include <stddef.h>

struct cells {
    const struct race_entry *const *races;
    size_t race_count;
    const struct options *options; // of every cell; with the locks
    int places;    // for so many workers at once
    bool captured; // what workers write on standard error becomes reasons

    // In the worker: this race has come to its end. Returns an exit status.
    int (*conclude)(struct race *race, size_t race_number, size_t lock_number,
                    void *argument);
    // In this process: this cell has no end, for this reason (NULL: the worker
    // has printed it).
    void (*miss)(size_t race_number, size_t lock_number, const char *reason,
                 void *argument);
    // How many cells are done, of all.
    void (*progress)(size_t done, size_t all);
    void *argument;
};

// Runs all cells: lock by lock, all races of each. Returns the greatest exit
// status.
int cells_run(const struct cells *cells);

#endif
