// The threads of a client, by number. Number 2 is always the same thread,
// because in some locks the owner is a thread.
#ifndef THREADS_H
#define THREADS_H

enum { MAX_THREAD = 4 };

// Calls job(argument) on that thread, 1 being the caller's own, and returns
// when it is done. Threads are made when they are first needed.
void run_on_thread(int number, void (*job)(void *argument), void *argument);

#endif
