// Waiting with a limit.
#ifndef PATIENCE_H
#define PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

// The machine's monotonic clock, in nanoseconds: for limits, and for races in
// real time.
int64_t real_ns(void);

// How long we have waited for something. All zero at the start. A gap of more
// than a second between two looks counts as one second. So a program that was
// itself stopped (Ctrl-Z) does not use up its patience.
struct patience {
    int64_t last_ns, waited_ns;
    int64_t used_ns; // of a core, by those we wait for (machine/process.h)
    int times;       // it has begun again, because they do something
};

// Call it again and again while waiting: false when we have waited longer than
// that.
bool patience_lasts(struct patience *patience, int64_t limit_ms);

#endif
