// The waits of a client, announced to the world (waits_preload.c).
#ifndef WAITS_PRELOAD_H
#define WAITS_PRELOAD_H

#include "clock_preload.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>

#pragma GCC visibility push(hidden)

// Until when, as the world counts: `left` nanoseconds from now. Less than none
// is now.
int64_t wait_end_ns(int64_t left);

// The clock on which a wait is counted. Some time from now by CLOCK_REALTIME is
// counted on CLOCK_MONOTONIC, as in Linux.
clockid_t wait_clock(clockid_t id, int for_an_instant);

// Tells the world that this thread waits until then, on this clock. Returns a
// descriptor: when the time has come, it can be read from. To close it is to
// take the wait back.
int wait_announce(int64_t until_ns, clockid_t id);

// The same of a timer: the world writes the number 1 to the timer's descriptor.
// `number` tells it from the client's other timers.
int wait_announce_timer(int64_t until_ns, clockid_t id, int number, int timer);

// poll() as the kernel has it, without a limit.
int wait_in_kernel(struct pollfd *fds, nfds_t count, const sigset_t *mask);

// pthread_cond_wait() as the C library has it.
int wait_for_condition(pthread_cond_t *condition, pthread_mutex_t *mutex);

#pragma GCC visibility pop

#endif
