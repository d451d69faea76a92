// Child processes: starting, stopping, continuing, ending. After each signal we
// wait until the kernel confirms its effect, because kill(2) returns before
// anything has happened.
#ifndef PROCESS_H
#define PROCESS_H

#include "base/environment.h"
#include "base/patience.h"
#include "loop.h"
#include "tasks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum process_state { PROCESS_NONE, PROCESS_RUNS, PROCESS_STOPPED };

enum { PROCESS_KEEPS = 3 };

struct process {
    pid_t pid;
    enum process_state state;
    // These are set before the start:
    bool leads;      // it leads a process group of its own; every signal goes
                     // to the whole group
    unsigned number; // it and what it starts are known by it, wherever they
                     // move (mark.h); 0: by the group alone
    bool same_addresses; // its memory lies at the same addresses on every run,
                         // where the kernel allows that: they are a source of
                         // randomness, too
    bool joins_stderr; // its standard error goes to the pipe of its output
    const char *const *hidden; // it gets no variable of ours with one of these
                               // words in it, but for PATH; NULL ends them
    const struct host *host; // on which it runs; NULL: on this machine
    int keeps[PROCESS_KEEPS]; // our descriptors that it inherits as 3, 4 and 5;
                              // 0: none

    int input;  // we write: the child's standard input
    int output; // we read: the child's standard output
    struct watch errors; // closed: its standard error is not read here
    size_t passed_on;    // bytes of it that were written to ours
    bool left_out;       // the rest is left out, and we have said so
    struct tasks tasks;
    int ended_by; // the signal that has ended it, as process_end() found; 0: it
                  // has ended by itself
};

// Starts argv[0] (found by PATH). The child dies with this process; `process`
// must not move in memory until then. Its standard error is passed on to ours,
// up to a limit, unless `joins_stderr` is set. Fails the world if there can be
// no new process. If the program does not exist, the child ends with status
// 127.
void process_start(struct process *process, char *const argv[],
                   const struct variable *environment);

// The same in three parts, for a child that is started in another way. First
// its standard input, output and error are made. Somebody starts it with the
// ends in `theirs`, and sets its `pid`. Then it is ours, and these are closed.
struct pipes {
    int theirs[3], ours[3]; // the error is the output if it joins that
};
void process_open_pipes(const struct process *process, struct pipes *pipes);
void process_adopt(struct process *process, const struct pipes *pipes);

// Nobody could start it: all ends are closed.
void process_close_pipes(const struct process *process,
                         const struct pipes *pipes);

// Does this process belong to it: is it a process that it has started, or the
// process itself?
bool process_has(const struct process *process, pid_t other);

// A duplicate of the descriptor `output`; the caller closes it.
int process_output(const struct process *process);

// Call it again and again while waiting for a process: false when we have
// waited too long (PATIENCE_MS). After 50 ms something else must occupy our
// core; then this process and all its children may use all cores again
// (cores.h).
//
// A machine may be so slow that its processes have not done in that time what
// takes them a moment. They hang if they have done next to nothing, or have had
// a core for all of the time; otherwise our patience begins again.
bool process_patience(struct patience *patience);

// The same with another limit.
bool process_patience_of(struct patience *patience, int64_t limit_ms);

// Waits until the kernel says what waitpid() with these flags waits for: that a
// child has ended, stopped, continued. Returns the status. Fails the world if
// that takes too long.
int process_wait(pid_t child, int flags);

// Waits until there is something to read, or its writer is gone. False if that
// takes too long; the second says how long that is.
bool process_hears(int fd);
bool process_hears_within(int fd, int64_t limit_ms);

// SIGKILL, then waits until it is gone. Does nothing if it does not run.
void process_kill(struct process *process);

// SIGSTOP and SIGCONT, confirmed.
void process_stop(struct process *process);
void process_continue(struct process *process);

// SIGKILL without waiting, for a process whose output nobody reads any more. To
// wait for it while its threads still end can take as long as a time slice. So
// process_reap() waits for it later, with all that were discarded until then.
void process_discard(struct process *process);
void process_reap(void);

// The processor time that all its threads have used; 0 if it does not run.
int64_t process_computed_ns(const struct process *process);

// Has the process ended?
bool process_ended(const struct process *process);

// Waits for the end of a child that has closed its output. Returns how it
// ended: "exited with 2", "was ended by signal 11". The string is static. A
// child that does not end is killed when our patience is over.
const char *process_end(struct process *process);

#endif
