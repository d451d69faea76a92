// A race: a straight line of verbs, each a thing that a person could do to a
// process, a wire, a clock or a server. Order is its only timing.
//
//     void two_processes(struct race *race) {
//         struct client *a = race_client(race, "A");
//         struct client *b = race_client(race, "B");
//         …
//     }
//
// The function has the name of its file, and of the command that runs it:
// ./scenarios/two_processes. A verb returns when the world has come to rest. If
// a verb finds that this lock never does what the story needs, it ends the race
// with the verdict CANNOT HAPPEN. If it finds the world broken, it ends the
// program with a line on standard error and exit status 2.
//
// Every operation of a story counts: one that comes back with an error, or with
// nothing, though the story has not caused that, makes the run INCONCLUSIVE.
//
// These verbs are enough for most races. race_more.h has the others.
#ifndef RACE_H
#define RACE_H

#include "base/units.h"

#include <stdint.h>

struct race;
struct client;
struct server;

// A client: a process of its own, with the lock open and not yet taken. Its
// name is one letter, its column in the trace.
struct client *race_client(struct race *race, const char *name);

// A sentence of the story, for the reader of the trace.
void note(struct race *race, const char *sentence);

// --- a client's own doing ----------------------------------------------------

// Acquires the lock, in one attempt whose commands pass at once; releases it.
// Both return the number of commands. A command whose script the server did not
// know does not count: the first client loads it for all.
int enter(struct client *client);
int leave(struct client *client);

// Releases the lock if the client is inside. (A client that was told "busy" or
// "unknown" has nothing to release.)
void leave_if_inside(struct client *client);

// Acquires the lock, waiting for it at most that long. Its commands pass at
// once, until the client is inside or sleeps. CANNOT HAPPEN if the client does
// not know how to wait.
void wait_for_lock(struct client *client, int64_t patience_ns);

// Writes to the resource that the lock protects: a key "resource" on the same
// server. The second does so only if the client is inside. (A client that was
// told "busy", or that knows that its lock is lost, has nothing to write.)
void write_resource(struct client *client);
void write_if_inside(struct client *client);

// Asks itself whether it still holds the lock.
void ask(struct client *client);

// Its critical section is over; the lock is not released yet.
void end_work(struct client *client);

// Its worker hangs and will never go on. The process lives.
void hang(struct client *client);

// --- step by step ------------------------------------------------------------

// Begins to acquire or to release; the first command is held.
void begin_enter(struct client *client);
void begin_leave(struct client *client);

// Time passes until the client's watchdog wakes; its first command is held.
// CANNOT HAPPEN if the client has no watchdog.
void begin_renewal(struct client *client);

// The same, and the renewal passes at once.
void renew(struct client *client);

// The held command runs on the server; its answer is held. CANNOT HAPPEN if
// the client has sent none.
void run_command(struct client *client);

// The held command runs and its answer arrives; the next one is held.
void pass_command(struct client *client);

// Commands pass as long as they cannot change the lock; the first that can is
// held. CANNOT HAPPEN if there is none. Returns how many have passed.
int hold_change(struct client *client);

// Commands pass up to the n-th, whose answer is held; if n is 0, the first
// command is held itself.
void hold_answer(struct client *client, int n);

// The held command or answer arrives, and the operation goes on to its end.
void finish(struct client *client);

// The held answer, or the held command before it ran, is lost and its
// connection breaks; the operation goes on to its end. The two are one choice
// of the world, and two words for the reader.
void lose_answer(struct client *client);
void lose_command(struct client *client);

// The client's patience is over: it closes the connection, and the operation
// goes on to its end. The held command is still on its way, and lands later;
// CANNOT HAPPEN if that way has ended meanwhile.
void give_up(struct client *client);
void land(struct client *client);

// --- processes, networks, clocks ---------------------------------------------

void crash(struct client *client);  // SIGKILL
void stop(struct client *client);   // SIGSTOP: the whole process
void suspend(struct client *client); // the same to its whole machine: its
                                     // CLOCK_MONOTONIC stands still
void resume(struct client *client); // SIGCONT

// The client can no longer reach the server; its connections break. It can
// again.
void cut_off(struct client *client);
void reconnect(struct client *client);

// Time passes, from one instant that matters to the next: where a lease ends,
// and where a watchdog or a waiter wakes. Its commands pass at once, and so do
// messages to clients that wait.
void advance(struct race *race, int64_t ns);

// Time passes until a second after the end of the lease that the lock has now.
void outlast_lease(struct race *race);

// The client's wall clock is ahead of everybody's, from now on; behind, if ns
// is negative.
void set_clock_ahead(struct client *client, int64_t ns);

// --- servers -----------------------------------------------------------------

// The master with this number, from 1. CANNOT HAPPEN if the lock does not use
// so many.
struct server *race_server(struct race *race, int number);

// SIGKILL; a new one in its place, from its disk; both, with an empty disk.
void crash_server(struct server *server);
void start_server(struct server *server);
void restart_server_empty(struct server *server);

// SIGSTOP and SIGCONT. Commands that are let through meanwhile wait in the
// server's socket, in order.
void stop_server(struct server *server);
void resume_server(struct server *server);

// Its wall clock is ahead from now on; behind, if ns is negative.
void set_server_clock_ahead(struct server *server, int64_t ns);

// An operator types a command. KEY in it stands for the lock's, also where
// other keys' names begin with it (KEY:signal); a command with KEY is typed at
// each master of the lock. A command that the server refuses ends the race with
// exit status 2.
void operate(struct race *race, const char *command);

// A second server that replicates the first, in step with it; from then on
// nothing reaches it; it becomes a master of its own. The client's server is
// this one from now on, and its connections break.
struct server *race_replica(struct race *race);
void hold_replication(struct server *replica);
void promote(struct server *replica);
void reach(struct client *client, struct server *server);

// --- the judge ---------------------------------------------------------------

// Enters, and must get in. `when` completes "B cannot get in …".
void must_enter(struct client *client, const char *when);

// Enters, and must not get in. `when` completes "B gets in …".
void must_not_enter(struct client *client, const char *when);

// The client, which has tried or waits, must be inside by now. `when` completes
// "B still waits …".
void must_have_got_in(struct client *client, const char *when);

// From now on only writes to the resource count: a client that is inside and
// only looks on does no harm.
void judge_by_writes(struct race *race);

// CANNOT HAPPEN in real time, where a lease is one second. Some locks count in
// whole seconds, and the story needs instants that are nearer to each other, or
// to the end of a lease. Or it asks a client at once about the news of its
// watchdog.
void need_exact_instants(struct race *race);

#endif
