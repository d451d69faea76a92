// Time and waiting, the only way a lock does either.
//
// Every wait has a limit, and ends early when somebody raises its flag. A flag
// is a file descriptor under poll(2) rather than a condition variable, so that
// a thread can wait for a flag and for a connection in the same way.
#ifndef WAIT_H
#define WAIT_H

#include <stdbool.h>

// Milliseconds since the machine was started: for deadlines. The wall clock may
// be set back or forward under a running program; this clock only moves on. It
// also counts the time in which the machine is suspended (CLOCK_MONOTONIC does
// not), because a lease on a server goes on meanwhile.
long long now_ms(void);

// Something a thread waits for and another one raises.
struct flag {
    int fd;
};

bool flag_open(struct flag *flag); // false: no descriptors left
void flag_close(struct flag *flag);
void flag_raise(struct flag *flag);
void flag_lower(struct flag *flag);

// Waits until the flag is up, at most `ms` milliseconds. True if it is up.
bool wait_ms(struct flag *flag, int ms);

#endif
