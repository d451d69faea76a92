// Child processes, and certainty about them: a signal is sent and then
// confirmed, because kill(2) returns before anything has happened.
#ifndef PROCESS_H
#define PROCESS_H

#include "tasks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// What a child's environment gets on top of ours. Ends with a NULL name.
struct variable {
    const char *name;
    const char *value;
};

enum process_state { PROCESS_NONE, PROCESS_RUNS, PROCESS_STOPPED };

struct process {
    pid_t pid;
    enum process_state state;
    bool leads; // a group of its own; set before the start, and what is done to
                // it is done to the whole group
    bool one_voice; // its standard error goes with its output; set before, too
    int keeps;  // the one descriptor that it inherits beside 0, 1 and 2;
                // 0: none; set before, too
    int input;  // we write: the child's standard input
    int output; // we read: the child's standard output
    struct tasks tasks;
};

// Starts argv[0] (found by PATH). The child dies with this process; `process`
// must stay where it is until then. Its standard error is ours, unless it has
// one voice. Fails the world if it cannot be started at all; a program that is
// not there shows as an end with status 127.
void process_start(struct process *process, char *const argv[],
                   const struct variable *environment);

// The same for a child that somebody else has started: its number is set, these
// are our ends of its pipes.
void process_adopt(struct process *process, int input, int output);

// A descriptor of its own for what the child says; the caller closes it.
int process_output(const struct process *process);

// How long we have waited for one of them; all zero at the beginning. A pause
// of ours counts as a second at most: who is stopped waits for nobody.
struct patience {
    int64_t last_ns, waited_ns;
};

// To be asked again and again: false when we have waited too long. Where it
// lasts longer than anything does that has its core, all leave theirs (core.h).
bool process_patience(struct patience *patience);

// SIGKILL, then waits until it is gone. Nothing if it does not run.
void process_kill(struct process *process);

// SIGSTOP and SIGCONT, confirmed.
void process_stop(struct process *process);
void process_continue(struct process *process);

// SIGKILL, without waiting: somebody nobody listens to any more. To wait for a
// process while its threads still end can take as long as a time slice, so it
// is buried later, with all that were discarded until then.
void process_discard(struct process *process);
void process_bury(void);

// Has it ended by itself?
bool process_ended(const struct process *process);

// Waits for a child that has closed its output; says how it ended: "exited with
// 2", "was ended by signal 11". One that lives on is killed after a while.
const char *process_end(struct process *process);

#endif
