// Reading the clock, and waiting. No lock does either in any other way.
//
// Every wait has a limit, and ends earlier when another thread raises its flag.
// A flag is a file descriptor for poll(2), not a condition variable: so a
// thread waits for a flag in the same way as for a connection.
#ifndef WAIT_H
#define WAIT_H

#include <stdbool.h>

// Milliseconds since the machine was started: for deadlines. The wall clock can
// be set back or forward while a program runs; this clock is never set. It
// also counts the time in which the machine is suspended (CLOCK_MONOTONIC does
// not), because a lease on the server goes on during that time.
long long now_ms(void);

// One thread waits for a flag, another thread raises it.
struct flag {
    int fd;
};

bool flag_open(struct flag *flag); // false: no descriptors left
void flag_close(struct flag *flag);
void flag_raise(struct flag *flag);
void flag_lower(struct flag *flag);

// Waits until the flag is up, at most `ms` milliseconds. True if it is up. If
// the flag is NULL, nothing but time ends the wait.
bool wait_ms(struct flag *flag, int ms);

// A random number of milliseconds, from 0 and less than `limit`: for a pause
// that must differ from client to client.
int random_ms(int limit);

// Waits until there is something to read on this descriptor, or its other side
// is closed; at most `ms` milliseconds. True if there is.
bool wait_for_input(int fd, int ms);

#endif
