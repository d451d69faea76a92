// Virtual time: the page that every process of the world reads.
#ifndef CLOCK_H
#define CLOCK_H

#include "process.h"

#include <stdbool.h>
#include <stdint.h>

// Makes the page in the sandbox. Time starts at zero. If it is not `lived_in`,
// processes keep their real time, and this one is only told.
void clock_open(bool lived_in);

// Seconds of the wall clock of a process that lives in it, or 0 if none does.
int64_t clock_wall_s(unsigned slot);

// Back to the beginning: for processes with the first `kept` lines it is time
// zero again, the other lines are free.
void clock_rewind(unsigned kept);

// How often the process with this slot has looked at its clock.
unsigned clock_reads(unsigned slot);

// Nanoseconds since the race began.
int64_t clock_now(void);

// Moves time. Only while no command is in flight: some servers read the clock
// several times within one command.
void clock_move(int64_t ns);

// Nanoseconds of the machine's own time, from no particular moment: for limits,
// and for races in real time.
int64_t clock_real_ns(void);

// A process's own line in the page: how far its wall clock is ahead.
unsigned clock_slot(void);
void clock_skew(unsigned slot, int64_t ns);

// Sets it back by some seventeen years; returns how far it was ahead.
int64_t clock_set_back(unsigned slot);

// The environment of a process that shall live in it, with this slot; `waits`
// is the socket at which a client's waits are registered, NULL for a server.
// At most CLOCK_VARIABLES entries and a terminating one; points to static
// strings and to `waits`.
enum { CLOCK_VARIABLES = 4 };
void clock_environment(struct variable *environment, unsigned slot,
                       const char *waits);

#endif
