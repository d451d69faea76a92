// Threads of a client by number: thread 2 is the same one each time, as owners
// are counted by thread.
#ifndef THREADS_H
#define THREADS_H

enum { MAX_THREAD = 4 };

// Calls job(argument) on that thread, 1 being the caller's own, and returns
// when it is done. Threads are made when they are first needed.
void run_on_thread(int number, void (*job)(void *argument), void *argument);

#endif
