// Virtual time. Every process of the world reads it from one page of shared
// memory (clock_page.h). Each process has a slot of its own in that page: there
// stands how far its wall clock is wrong. It has a page of its own, too, in
// which it tells the world of itself.
#ifndef CLOCK_H
#define CLOCK_H

#include "process.h"

#include <stdbool.h>
#include <stdint.h>

// Makes the clock's page. Time starts at zero. If time is not virtual,
// the processes keep the machine's clock, and only this process uses the page.
void clock_open(bool is_virtual);

// The wall clock of the process with this slot, in seconds; 0 if time is not
// virtual.
int64_t clock_wall_s(unsigned slot);

// Sets the time back to zero and all wall clocks right. The first `kept` slots
// stay in use, all others become free. For a kept server whose whole clock is
// the world's, a long time has passed: more than any lease.
void clock_rewind(unsigned kept);

// The number of times that the process with this slot has read its clock.
unsigned clock_reads(unsigned slot);

// The time-out of its wait for an answer on this connection, from 1; 0: none,
// or it is not known.
int64_t clock_limit(unsigned slot, int connection);

// Does a thread of this server's still wait for a condition until a time that
// has passed? It will go on within some milliseconds.
bool clock_has_overdue(unsigned slot);

// Does a thread of this server's wait for a condition until a later time?
bool clock_waits(unsigned slot);

// Does this thread of this server's wait for a condition, as pthread_self()
// calls it there? In real time nobody knows, and this is true.
bool clock_thread_waits(unsigned slot, uint64_t thread);

// The first deadline of the servers' threads that wait for a condition, as
// clock_now(); -1: none waits with a limit.
int64_t clock_next_server_wait(void);

// This server was killed, while its threads waited.
void clock_forget_waits(unsigned slot);

// Nanoseconds since the race began.
int64_t clock_now(void);

// Moves time. May only be called while no command is under way: some servers
// read the clock several times within one command.
void clock_move(int64_t ns);

// Takes a free slot for a new server. Fails the world if there is none.
unsigned clock_server_slot(void);

// The first servers have begun. Now come clients, each in the slot that belongs
// to its name; servers that begin later come behind these.
void clock_await_clients(void);

// Takes the slot of the client whose name begins with this letter. So a client
// draws the same random numbers, whoever has begun before it.
unsigned clock_client_slot(char name);

// Makes the slot as it is when no process has used it.
void clock_clean(unsigned slot);

// Has the client with this slot said that it is loaded (fork_server.h)?
bool clock_is_loaded(unsigned slot);

// Clients that begin from now on draw other random numbers than with another
// seed. It is 0 at first.
void clock_seed(uint64_t seed);

// From now on the wall clock of this process is `ns` ahead.
void clock_skew(unsigned slot, int64_t ns);

// The machine of this process was suspended for so long.
void clock_add_suspension(unsigned slot, int64_t ns);

// Sets the wall clock of this process back by about seventeen years. Returns
// how far it was ahead before, for clock_skew().
int64_t clock_set_back(unsigned slot);

// The descriptors of the pages of the process with this slot. Through the first
// nobody can write.
struct clock_pages {
    int clock, own;
};
struct clock_pages clock_pages(unsigned slot);

// Fills in the environment variables of a process that has virtual time and
// this slot; none if time is not virtual. The process will inherit its pages;
// NULL: there is no process yet, it will be forked (fork_server.h). `waits` is
// the path of the socket to which a client announces its waits, NULL for a
// server. There are at most CLOCK_VARIABLES entries and a terminating one. They
// point to static strings and to `waits`.
enum { CLOCK_VARIABLES = 3 };
void clock_environment(struct variable *environment, struct process *process,
                       unsigned slot, const char *waits);

// The same for a server in a Java virtual machine (jvm_preload.c): its whole
// clock is the world's, and its network is folders. Its address 127.0.0.2 is
// the folder `ports` and a 2. There are as many entries, also where time is not
// virtual.
void clock_environment_of_jvm(struct variable *environment,
                              struct process *process, unsigned slot,
                              const char *ports);

// The number of connections that such a server has accepted; has made.
unsigned clock_accepted(unsigned slot);
unsigned clock_connected(unsigned slot);

// From now on such a server does not reach this host, 127.0.0.`host`, and has
// no connection to it that it has made itself.
void clock_cut_off(unsigned slot, int host);

// Time passes for such servers, and for nobody else: to the others they have
// run for longer.
void clock_age_servers(int64_t ns);

#endif
