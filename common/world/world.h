// The world around the clients: servers, gates, clock, processes.
//
// It does one choice at a time and then comes to rest: every thread of every
// client is blocked on a connection that the gate holds, in a wait, or for its
// next line; no server has a request. So whatever happens next is a choice
// too, and the same choices always lead to the same world.
#ifndef WORLD_H
#define WORLD_H

#include "choice.h"
#include "event.h"
#include "gate.h"

#include <stdbool.h>

struct world;

// Called with everything that happens, in order.
typedef void watcher(void *argument, const struct event *event);

struct world_setup {
    const char *program; // the client; a guest's is a shell command
    bool guest;
    bool many_lives;     // it will be rewound; needs the world's time
    bool real_time;      // no process lives in the world's clock
    const char *key;
    const char *second_key; // for clients with two locks
    int lease_ms;
    const char *server_options; // "--appendonly yes", by words
    watcher *watcher;
    void *argument;
};

// Builds a world with a server and no clients. What the setup points to must
// last as long as the world. There is one world in a process.
struct world *world_open(const struct world_setup *setup);
void world_close(struct world *world);

// Back to the beginning: no clients, nothing on the server, time zero.
void world_rewind(struct world *world);

// Starts a client and returns when it is ready; what it sends to get ready is
// no part of the story. Its number is its place in order, from 0.
int world_add_client(struct world *world, const char *name, bool two_locks);

// Starts a replica of the first server and returns when it has everything.
// Its number is its place in order, the first server being 0.
int world_add_replica(struct world *world);

// Does it and comes to rest. A choice that is not possible ends the run:
// whoever chooses asks possible.h first.
void world_do(struct world *world, struct choice choice);

// Reports something of the story, so that it has its place among the events.
void world_tell(struct world *world, enum event_kind kind, int client,
                const char *text);

// Is the client in the middle of an operation?
bool world_busy(const struct world *world, int client);

// Is there a client with this number that is not dead? Can it reach a server?
bool world_lives(const struct world *world, int client);
bool world_reaches(const struct world *world, int client);

// How many servers there are. Does this one run: neither dead nor stopped? Is
// it dead?
int world_servers(const struct world *world);
bool world_server_runs(const struct world *world, int server);
bool world_server_is_dead(const struct world *world, int server);

// Does it run: not stopped, not dead?
bool world_runs(const struct world *world, int client);

// Fails the world if the client is in the middle of an operation, can go on
// and does not: it waits for something else than its server.
void world_expect_answer(const struct world *world, int client);

// Its last operation, and what that came to.
enum operation world_operation(const struct world *world, int client);
enum result world_result(const struct world *world, int client);

// How often it has looked at its clock.
unsigned world_clock_reads(const struct world *world, int client);

// Everything that the first server holds: see engine_content(). The caller
// frees it.
char *world_content(struct world *world);

// How often it has entered its first lock and not left.
int world_depth(const struct world *world, int client);

// The client's connection with something on its way, the lowest number first,
// leaving out `except` (0: none); 0: nothing is.
int world_pending(const struct world *world, int client, int except);

// Where that connection's request is.
enum stage world_stage(const struct world *world, int client, int connection);

// Could the request that is held there change the lock if it ran now?
bool world_may_change(struct world *world, int client, int connection);

// When the client's next wait is over; -1: it waits for nothing.
int64_t world_next_wait(const struct world *world, int client);

// When the lock's lease is over: the first instant at which the key is gone;
// -1: there is none, or no end to it.
int64_t world_lease_end(const struct world *world);

int64_t world_now(void);

// In real time: waits up to `us` microseconds for something to happen, comes
// to rest, and reports.
void world_wait(struct world *world, int us);

// "redis 7.0.15"
const char *world_version(const struct world *world);

#endif
