// The mark of a run: it shows which processes belong to the run, wherever they
// move.
//
// The mark is an upper limit for RLIMIT_RTTIME that nobody else has, and every
// process hands it down to those that it starts. Neither a new session nor an
// empty environment takes it off, and it limits nothing: it is some 35 years of
// one real-time process's computing. (A process could lower it, but would have
// to know of it.) Its last byte is the number that a process was started with.
#ifndef MARK_H
#define MARK_H

#include <stdbool.h>
#include <sys/types.h>

// Chooses the mark of this run, by its folder's name.
void mark_choose(const char *folder);

// Marks this process and everything that it will start. Called in a child,
// before it becomes another program. `number` is below 256.
void mark_self(unsigned number);

// The mark with this number, for the program that takes it by itself
// (fork_server_page.h). It must be lower than the one that it has.
enum { MARK_OF_FORK_SERVER = 255 };
unsigned long long mark_of(unsigned number);

// Has this process inherited this number?
bool mark_is(pid_t process, unsigned number);

// Sends a signal to every process that has inherited this number, but for those
// of a process group, and returns when the signal has had its effect.
void mark_signal(unsigned number, pid_t but_for, int signal);

// SIGKILL to every process with the mark of this run.
void mark_kill_all(void);

#endif
