// Virtual time: the page that every process of the world reads.
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

// Makes the page in the sandbox. Time starts at zero.
void clock_open(void);

// Nanoseconds since the race began.
int64_t clock_now(void);

// Moves time. Only while no command is in flight: some servers read the clock
// several times within one command.
void clock_move(int64_t ns);

// A process's own line in the page: how far its wall clock is ahead.
unsigned clock_slot(void);
void clock_skew(unsigned slot, int64_t ns);

// The page's path, for the environment of a process that shall live in it,
// and the library to preload there.
const char *clock_path(void);
const char *clock_library(void);

#endif
