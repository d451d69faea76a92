// A watchdog: a thread that calls one function again and again, for as long as
// its lock is held.
//
// The thread is made when it is first needed, and rests between two holds: to
// make one for each hold took longer than all else that a hold does in the
// client. It belongs to the lock, not to the program that uses it: all signals
// are blocked in it, so the program's handlers run where they ran before. It
// waits with wait_ms(), so that stopping it does not have to wait for the next
// call.
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
