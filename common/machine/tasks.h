// The threads of a process, as the kernel shows them: how many there are, and
// whether all of them sleep.
//
// A run asks this after every step, so the files in /proc stay open.
#ifndef TASKS_H
#define TASKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { MAX_TASKS = 64 };

// All zero: nobody has been looked at.
struct tasks {
    int folder; // of the process's threads
    int count;
    struct {
        pid_t id;
        int status; // a file
    } task[MAX_TASKS];
};

// How many threads the process has.
int tasks_count(struct tasks *tasks, pid_t process);

// Are all threads blocked in the kernel? `drained` is called after a look and
// says whether everything they had said is read. Several are looked at twice:
// those that slept at both looks and were not scheduled in between slept at
// the same time, and none has woken one that was looked at before it.
//
// `mark` changes when a thread has gone to sleep since: a thread that was just
// woken shows as asleep for a moment, on its way out of the wait, but has not
// gone to sleep again.
bool tasks_sleep(struct tasks *tasks, pid_t process,
                 bool (*drained)(void), uint64_t *mark);

// Closes the files; all zero again.
void tasks_forget(struct tasks *tasks);

#endif
