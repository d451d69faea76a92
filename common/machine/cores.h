// Which core a world runs on: one, for all of its processes.
//
// In a world one process works at a time and then wakes the next: more cores
// do not help, and to wake a process on another one takes, on a virtual
// machine, several times as long as to switch to it on the same. Worlds side
// by side get a core each. It changes how long a run takes and nothing else.
//
// Where others want the cores it can last seconds until somebody who may not
// move gets his turn (group scheduling goes by how busy a group has been on
// that core). So nobody stays on a core of a crowded machine, and a world that
// has to wait leaves its own.
#ifndef CORES_H
#define CORES_H

#include <stdbool.h>
#include <sys/types.h>

// How many this process may use: 1 or more.
int core_count(void);

// Only the core on which this process is now, also for its children. Nothing
// if it has one already, or if the machine is crowded.
void core_stay(void);

// The same with one of those that this process may use: `number` counts from 0
// and begins anew after the last.
void core_take(int number);

// All that it could use before; false if it has them.
bool core_leave(void);

// The same for all threads of another process.
void core_leave_too(pid_t process);

#endif
