// The parts of build/clock.so, for each other: clock_preload.c, which every
// program has, and the rules for the programs of one engine, which stand in
// the engine's room (threads_preload.c). Hidden, so that no name here is a name
// in a program.
#ifndef CLOCK_PRELOAD_H
#define CLOCK_PRELOAD_H

#include "clock_page.h"

#include <sys/un.h>
#include <time.h>

// A program whose threads look at the clock in a way of its own.
struct clock_program {
    // Comes before each look at the clock; or NULL.
    void (*before_look)(void);
    // The wall clock, as the thread that asks sees it; or NULL.
    int64_t (*wall_of_thread_ns)(void);
};

#pragma GCC visibility push(hidden)

extern const struct clock_page *preload_page; // NULL: no world, real time
extern struct process_page *preload_own;
extern unsigned preload_slot;

// Is this process a client of a world, and not a server? Then there is a page.
int preload_is_client(void);

// The wall clock of this process, since 1970.
int64_t preload_wall_ns(void);

// One can wait until a time of the wall clock or of the monotonic one. No
// machine has run for three years: so the number says which.
int preload_is_wall(const struct timespec *until);

// How long it is until this time of a client's wall clock, or of the one with
// this id, which counts from the start of its machine.
int64_t preload_left_ns(const struct timespec *until, clockid_t id);

// Where a client announces its waits to the world.
const struct sockaddr_un *preload_waits(void);

// This process is a copy of a loaded program, whose clock stood still: now it
// joins the world. The program had drawn so many random words.
void preload_join_as_copy(uint64_t drawn);

// Called by an engine's constructor, in the program that it knows.
void preload_rule(const struct clock_program *rule);

// Ends the process with this line. It must not go on in real time: the verdict
// of such a run would mean nothing.
__attribute__((noreturn)) void preload_exit(const char *line);

#pragma GCC visibility pop

// Runs before the constructor by which this process joins its world.
#define PRELOAD_RULE __attribute__((constructor(101)))

#endif
