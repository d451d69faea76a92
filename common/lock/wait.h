// Reading the clock, and waiting. No lock does either in any other way.
//
// A wait has a limit, and ends earlier when another thread raises its flag.
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

// An alarm rings once, a time after it was set. To set it or to switch it off
// is one system call, and wakes no thread. So a thread can wait for an alarm
// that another thread sets again and again. Like a flag it is a file
// descriptor. It counts the time of now_ms().
struct alarm {
    int fd;
};

bool alarm_open(struct alarm *alarm); // false: no descriptors left
void alarm_close(struct alarm *alarm);
void alarm_set(struct alarm *alarm, int ms); // in place of an earlier time
void alarm_ring(struct alarm *alarm);        // at once
void alarm_off(struct alarm *alarm);         // also if it has rung already

// Sleeps until the alarm has rung. There is no limit: while it is off, its
// thread has nothing to do. When this returns, another thread may have changed
// the alarm again.
void alarm_wait(struct alarm *alarm);

// Has it rung since it was set? True once for each time that it rings.
bool alarm_has_rung(struct alarm *alarm);

// A random number of milliseconds, from 0 and less than `limit`: for a pause
// that must differ from client to client.
int random_ms(int limit);

// Waits until there is something to read on this descriptor, or its other side
// is closed; at most `ms` milliseconds. True if there is.
bool wait_for_input(int fd, int ms);

#endif
