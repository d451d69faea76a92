// The threads of a process, as the kernel shows them: how many there are, and
// whether all of them sleep.
//
// A run asks for this after every step, so the files in /proc stay open.
#ifndef TASKS_H
#define TASKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { MAX_TASKS = 64, TASKS_TEXT_SIZE = 64 };

// All zero at the start.
struct tasks {
    int folder; // descriptor of /proc/PID/task
    int count;
    struct {
        pid_t id;
        int status; // descriptor of /proc/PID/task/ID/status
        int stat, runs; // of stat and schedstat there; 0: not open yet
    } task[MAX_TASKS];
    int awake; // a thread that did not sleep when tasks_rest() looked last
    uint64_t turns; // when all slept: a hash of how often each thread had been
                    // switched away, also while it had more to do
};

// The number of the process's threads.
int tasks_count(struct tasks *tasks, pid_t process);

// Are all threads of the process asleep? After each look at them `drained` is
// called: it must say whether all their output was read. Bytes that they sent
// over the loopback have arrived by then (loopback.h). We look twice if there
// are several threads, or if the loopback is used. If all sleep at both looks,
// and no thread was scheduled between the looks, then all slept at one instant.
//
// *mark becomes a hash of how often each thread has gone to sleep. A thread
// that was just woken can show as asleep for a moment. If the mark has changed
// since the thread was woken, the thread has run and has gone to sleep again.
bool tasks_sleep(struct tasks *tasks, pid_t process,
                 bool (*drained)(void), uint64_t *mark);

// The same for a process with many threads, to which nobody sends anything
// meanwhile: so only its own threads can wake each other. It reads less. *mark
// becomes a hash of how often each thread has run.
bool tasks_rest(struct tasks *tasks, pid_t process, uint64_t *mark);

// The system call in which a thread of the process waits with a time limit of
// the kernel's. NULL: none does, or nobody can say.
const char *tasks_limited_wait(struct tasks *tasks);

// For messages, after a wait in vain: the state of a thread that is awake, or
// wakes up within a tenth of a second. Example: 'its thread "java" runs'.
// Nothing if all sleep.
void tasks_describe(struct tasks *tasks, pid_t process,
                    char text[TASKS_TEXT_SIZE]);

// Closes the files. All zero afterwards.
void tasks_forget(struct tasks *tasks);

#endif
