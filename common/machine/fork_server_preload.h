// The fork server, for the other parts of build/clock.so.
#ifndef FORK_SERVER_PRELOAD_H
#define FORK_SERVER_PRELOAD_H

#include <pthread.h>

#pragma GCC visibility push(hidden)

// Called before main(). If this process is to be a fork server here, it forks a
// new client for each order. It returns in each new client, and never in this
// process. Otherwise it returns at once.
void fork_server_wait(void);

// Is this process to be a fork server when it is loaded?
int fork_server_loads(void);

// Called when the program opens LOADED_FILE. If this process is to be a fork
// server, it never returns in it. In each new client it returns a descriptor:
// of a file with the variables of its order, as in /proc/self/environ. Some
// runtimes do not see that their environment has changed. In a process that is
// no copy the file is empty.
int fork_server_open_loaded(int flags);

// --- copied_preload.c: what else a copy of a loaded program needs -----------

// Waits until all threads but this one sleep. A copy has none of them: what one
// of them was about to do, or keeps locked, would stay so.
void copied_wait_for_threads(void);

// A thread waits for this condition, until copied_end_wait() is called with
// what this returns: a copy's condition has no such waiter.
int copied_begin_wait(pthread_cond_t *condition);
void copied_end_wait(int place);

// Called in the copy.
void copied_begin(void);

#pragma GCC visibility pop

#endif
