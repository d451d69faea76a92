// The core of a world: all its processes share one.
//
// In a world one process works at a time and then wakes the next, so more cores
// do not help. On a virtual machine it takes several times as long to wake a
// process on another core as to switch to it on the same core. Worlds that run
// side by side get a core each. All this changes how long a run takes, and
// nothing else.
//
// When other programs want the cores, a process that is pinned to one core can
// wait for seconds until it is scheduled. (Group scheduling looks at how busy a
// group has been on that core.) So no process is pinned on a crowded machine,
// and a world that has to wait for its core may use all cores again.
#ifndef CORES_H
#define CORES_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

// The number of cores that this process may use: 1 or more.
int core_count(void);

// Pins this process and its future children to the core on which it runs now.
// Does nothing if it is pinned already, or if the machine is crowded.
void core_stay(void);

// Pins this process to one of the cores that it may use: `number` counts them
// from 0 and starts again after the last. Otherwise as core_stay().
void core_take(int number);

// Lets this process use all cores that it could use before it was pinned.
// False if it was not pinned.
bool core_leave(void);

// Lets all threads of another process use those cores, too.
void core_leave_too(pid_t process);

// Calls this on each of these cores on which this process may run, and on the
// one on which it runs. One that is pinned stays where it is: all others of its
// world are there, too.
void core_on_each(const cpu_set_t *cores, void (*act)(void));

#endif
