// A watchdog: a thread that calls one function again and again, for as long as
// its lock is held.
//
// The thread is made when it is first needed, and sleeps until its alarm rings.
// Starting and stopping a watchdog sets this alarm and switches it off. So a
// hold that is shorter than `every_ms` does not wake the thread. (To wake it
// twice took a third of the time of such a hold. To make a thread for each hold
// took longer than all the rest.) The thread belongs to the lock, not to the
// program that uses it: all signals are blocked in it, so the program's
// handlers run where they ran before.
#ifndef WATCHDOG_H
#define WATCHDOG_H

#include <stdbool.h>

struct watchdog;

// A watchdog that does not run yet. `task(argument)` is what it will call:
// every `every_ms` milliseconds, the first time after that time, until it is
// stopped or `task` returns false. NULL: no memory or no descriptors left.
struct watchdog *watchdog_open(int every_ms, bool (*task)(void *argument),
                               void *argument);

// Starts it. It must not run already. If there can be no thread, none
// runs: nothing is renewed then, and the lease ends.
void watchdog_start(struct watchdog *watchdog);

// Waits for a call that is under way; after that there are no more. Does
// nothing if it does not run.
void watchdog_stop(struct watchdog *watchdog);

// Stops it and frees it. NULL is fine.
void watchdog_close(struct watchdog *watchdog);

#endif
