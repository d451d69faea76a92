// Which core a world runs on: one, for all of its processes.
//
// In a world one process works at a time and then wakes the next: more cores
// do not help, and to wake a process on another one takes, on a virtual
// machine, several times as long as to switch to it on the same. Worlds side
// by side get a core each. It changes how long a run takes and nothing else,
// so a machine that does not allow it is not asked twice.
#ifndef CORE_H
#define CORE_H

// How many this process may use: 1 or more.
int core_count(void);

// Only the core on which this process is now, also for its children.
void core_stay(void);

// The same with one of those that this process may use: `number` counts from 0
// and begins anew after the last.
void core_take(int number);

#endif
