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
// ./scenarios/two_processes. A verb returns when the world has come to rest. A
// verb that finds that this lock never does what the story needs ends the race
// with the verdict CANNOT HAPPEN; one that finds the world broken ends the
// program with a line on standard error and exit status 2.
//
// Every operation of a story counts: one that comes back with an error, or with
// nothing, though the story has not caused that, makes the run INCONCLUSIVE.
#ifndef RACE_H
#define RACE_H

#include "base/units.h"

#include <stdint.h>

struct race;
struct client;
struct server;

// --- settings, before the first client ---------------------------------------

// Options of the server, by words: "--appendonly yes".
void set_server_options(struct race *race, const char *server_options);

// Another lease than the usual one of 30 seconds. (Not for real time, where a
// lease is a second: need_exact_instants().)
void set_lease(struct race *race, int64_t lease_ns);

// Another number of masters, for a lock that uses several. (A --masters on the
// command line counts more.)
void set_masters(struct race *race, int masters);

// Another key than the usual one, which is "lock". (A --key on the command line
// counts more.)
void set_key(struct race *race, const char *key);

// --- the cast ----------------------------------------------------------------

// A client: a process of its own, with the lock open and not yet taken. Its
// name is one letter, its column in the trace.
struct client *race_client(struct race *race, const char *name);

// A client that uses two locks: "lock" and "lock2", or with --key KEY the two
// that are called KEY and KEY2.
struct client *race_client_of_two(struct race *race, const char *name);

// A sentence of the story, for the reader of the trace.
void note(struct race *race, const char *sentence);

// --- a client's own doing ----------------------------------------------------

// Acquires the lock, once, with everything that this sends passing at once.
// Returns how many commands that were.
int enter(struct client *client);

// The same, if the client is not inside already: it may have got in though it
// lost an answer.
void enter_if_outside(struct client *client);

// Releases it. Returns how many commands that took.
int leave(struct client *client);

// Takes the lock and releases it, that often, a hundredth of a second apart.
void enter_and_leave(struct client *client, int times);

// Releases the lock if the client is inside. (A client that was told "busy" or
// "unknown" has nothing to release.)
void leave_if_inside(struct client *client);

// Releases the lock if the client is inside, or cannot know that: its attempt
// was answered with "unknown".
void leave_if_unsure(struct client *client);

// Releases again, unless the last release was answered with "ok": a lock may
// have repeated it by itself.
void leave_again(struct client *client);

// Acquires the lock with a lease for this once. CANNOT HAPPEN if an acquire of
// this lock has none of its own.
void enter_for(struct client *client, int64_t lease_ns);

// The second lock of a client of two.
void enter_second(struct client *client);
void leave_second(struct client *client);
void wait_for_second_lock(struct client *client, int64_t patience_ns);

// Acquires the lock, waiting for it at most that long. What this sends passes
// at once, until the client is inside or sleeps. CANNOT HAPPEN if the client
// does not know how to wait.
void wait_for_lock(struct client *client, int64_t patience_ns);

// On another of its threads; 1 is the one that does everything else.
void enter_on_thread(struct client *client, int thread);
void leave_on_thread(struct client *client, int thread);

// Writes to what the lock protects: a key "resource" on the same server.
void write_resource(struct client *client);

// The same with a resource that checks and writes in two steps. CANNOT HAPPEN
// if the client does not know how.
void write_apart(struct client *client);

// Writes if the client is inside. (A client that was told "busy", or that knows
// that its lock is lost, has nothing to write.)
void write_if_inside(struct client *client);

// Releases it once, out of the inner of two entries. CANNOT HAPPEN if the
// client could not get in twice.
void leave_inner(struct client *client);

// A client that is inside acquires the lock that often again, each time in a
// call inside the last one, and must get in each time. CANNOT HAPPEN if the
// client cannot get in twice.
void enter_inner_calls(struct client *client, int times);

// Releases it that often, as long as it is inside.
void leave_inner_calls(struct client *client, int times);

// CANNOT HAPPEN if the client could not get in twice.
void need_two_entries(struct client *client);

// Its critical section is over; the lock is not released yet.
void end_work(struct client *client);

// Its worker hangs and will never go on. The process lives.
void hang(struct client *client);

// Closes the lock, without releasing it, and opens it anew. If that fails, the
// lock is closed, until the next reopen(). CANNOT HAPPEN if
// the client does not know how.
void reopen(struct client *client);

// The same with another lease for everything that comes after it.
void reopen_for(struct client *client, int64_t lease_ns);

// Asks itself whether it still holds the lock.
void ask(struct client *client);

// --- the judge ---------------------------------------------------------------

// Enters, and must get in. `when` completes "B cannot get in …".
void must_enter(struct client *client, const char *when);

// Enters, and must not get in. `when` completes "B gets in …".
void must_not_enter(struct client *client, const char *when);

// The client, which has tried or waits, must be inside by now. `when` completes
// "B still waits …".
void must_have_got_in(struct client *client, const char *when);

// The client, which has waited, must have given up before. `when` completes "B
// gets in …" or "B still waits …".
void must_have_given_up(struct client *client, const char *when);

// From now on whoever has waited longest must get in first.
void keep_order(struct race *race);

// From now on no more than one of those that wait may send something.
void wake_one(struct race *race);

void must_enter_second(struct client *client, const char *when);

// Asks itself, and must know that its lock is lost.
void must_know_of_loss(struct client *client);

// Asks itself, and must not say that its lock is lost, if that is on the server
// still, as its own.
void must_believe(struct client *client);

// The client's lock must be on the server still, as its own.
void must_still_hold(struct client *client);

// The client has just tried to get in again, or released, and must have been
// told that its lock is lost.
void must_hear_lost(struct client *client);

// count_connections() notes how many connections the client has, and
// must_have_no_more_connections() asks that it has no more than that. Both are
// for a client that is outside and does not wait.
void count_connections(struct client *client);
void must_have_no_more_connections(struct client *client);

// What stands under the lock's key now is somebody else's, and must be there
// still, with the same lease or none.
void keep_key(struct race *race);
void must_have_kept_key(struct race *race);

// The judge asks for every property that it knows, as in a search, and not only
// for those that every story asks for (docs/judge.md).
void judge_strictly(struct race *race);

// From now on it is writes to the resource that count: who is inside and only
// looks on does no harm.
void judge_by_writes(struct race *race);

// CANNOT HAPPEN if the lock, which the client has just taken, has no end on the
// server; or in real time, which has no exact instants.
void need_exact_lease(struct client *client);

// CANNOT HAPPEN if a lock has ended on the server since the client's connection
// broke, and nobody else is inside: it ended with the connection, and not with
// a lease.
void need_lock(struct client *client);

// CANNOT HAPPEN in real time, where a lease is one second: the story needs
// instants that are nearer to each other, or to the end of a lease, than the
// whole seconds in which some locks count; or it asks a client at once what its
// watchdog has heard.
void need_exact_instants(struct race *race);

// --- the wire ----------------------------------------------------------------

// Begins to acquire or to release; the first command is held.
void begin_enter(struct client *client);
void begin_leave(struct client *client);

// Begins to acquire with a lease for this once. CANNOT HAPPEN if an acquire of
// this lock has none of its own.
void begin_enter_for(struct client *client, int64_t lease_ns);

// Begins to wait for the lock, at most that long; the first command is held.
void begin_wait(struct client *client, int64_t patience_ns);

// The client waits for the lock. Time passes until its patience ends; what it
// sends then is held. CANNOT HAPPEN if it sends nothing.
void begin_last_attempt(struct client *client);

// The connection breaks on which the client hears that the lock is free. CANNOT
// HAPPEN if it has none.
void lose_subscription(struct client *client);

// The same, but what the client sends then passes only in finish(), or when the
// story lets it pass.
void break_subscription(struct client *client);

// Begins to release out of the inner of two entries. CANNOT HAPPEN if the
// client could not get in twice.
void begin_leave_inner(struct client *client);

// Releases the lock. Returns which of the commands took it away: 1 for the
// first, 0 if none did.
int leave_and_find_end(struct client *client);

// Begins to write to the resource; the command is held.
void begin_write(struct client *client);

// The same with a resource that checks the number in one step and writes in
// another; the first command is held.
void begin_write_apart(struct client *client);

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

// The same, if the client has sent a command.
void pass_command_if_any(struct client *client);

// So many commands pass, with their answers; the next one is held.
void pass_commands(struct client *client, int count);

// The next command that has to do with the lock is a read, or a script that now
// would only read: it runs, and its answer arrives. CANNOT HAPPEN if it is
// something else.
void pass_read(struct client *client);

// Commands pass until one that only reads what is under the key has passed, or
// a script that now would only read. CANNOT HAPPEN if there is none.
void pass_first_read(struct client *client);

// Commands pass as long as they cannot change the lock; the first that can is
// held. CANNOT HAPPEN if there is none. Returns how many have passed.
int hold_change(struct client *client);

// The same, and a script passes, too, if it would only read, if it ran now.
void hold_write(struct client *client);

// Commands pass up to the n-th, which is held. CANNOT HAPPEN if there are not
// so many, or if n is less than 2: then none comes before it.
void hold_later_command(struct client *client, int n);

// Commands pass up to the n-th, whose answer is held; if n is 0, the first
// command is held itself.
void hold_answer(struct client *client, int n);

// What is held arrives, and the operation goes on to its end.
void finish(struct client *client);

// The same, where the client may have given up the connection meanwhile, or
// the server: then it goes on without it.
void finish_on_any_connection(struct client *client);

// The held answer, or the held command before it ran, is lost and its
// connection breaks; the operation goes on to its end. The two are one choice
// of the world, and two words for the reader.
void lose_answer(struct client *client);
void lose_command(struct client *client);

// The held command reaches the server while the server refuses every write, and
// the answer arrives: an error, if the command writes. The next one is held.
// CANNOT HAPPEN if the operation is over, and nothing of it was refused.
void refuse_command(struct client *client);

// CANNOT HAPPEN if the server has refused nothing of the client's since it got
// in: its renewals are no writes.
void need_refused_renewal(struct client *client);

// The held answer is lost, and the operation goes on. What the client then
// sends to the same server by itself is held: its second try. CANNOT HAPPEN if
// it sends nothing there.
void lose_answer_before_retry(struct client *client);

// The client's patience is over: it closes the connection, and the operation
// goes on to its end. The held command is still on its way, and lands later;
// CANNOT HAPPEN if that way has ended meanwhile.
void give_up(struct client *client);
void land(struct client *client);

// The held command is not answered. Time passes for as long as the client waits
// for that, and it gives up. CANNOT HAPPEN if nobody knows how long that is.
void hear_nothing(struct client *client);

// The command that is held, if any is, stays on its way for so long. If the
// client is known to wait for a shorter time, it gives up then, and the rest of
// the time passes.
void be_slow(struct client *client, int64_t ns);

// The operation goes on to its end. Where a server is silent, time passes for
// as long as the client waits for its answer; then the client goes on without
// it. CANNOT HAPPEN if nobody knows how long that is, or if it is more than a
// minute.
void finish_in_spite_of_silence(struct client *client);

// So much time passes. Answers arrive when a server gives them. If the client
// is known to wait for one for a shorter time, it gives up then.
void outwait(struct client *client, int64_t ns);

// The client can no longer reach the server; its connections break. It can
// again.
void cut_off(struct client *client);
void reconnect(struct client *client);

// CANNOT HAPPEN if the client is inside, with a lock: it has several servers
// and did not need the one that the story keeps from it, or it needed only what
// it has sent since then.
void need_outside(struct client *client);

// CANNOT HAPPEN if the client is not inside.
void need_inside(struct client *client);

// CANNOT HAPPEN if the client's last attempt was not answered with "busy".
void need_busy(struct client *client);

// CANNOT HAPPEN if the client's operation has not ended: it waits for a command
// of its own that the story holds back.
void need_no_wait(struct client *client);

// --- processes, clocks, servers ----------------------------------------------

void crash(struct client *client);  // SIGKILL
void stop(struct client *client);   // SIGSTOP: the whole process
void resume(struct client *client); // SIGCONT

// Time passes, from one instant that matters to the next: where a lease ends,
// and where a watchdog or a waiter wakes. What it sends passes at once, and so
// do messages to those that wait.
void advance(struct race *race, int64_t ns);

// Time passes until so long after the beginning of the race, if it is not later
// already.
void advance_until(struct race *race, int64_t ns);

// Time passes until a second after the end of the lease that the lock has now.
void outlast_lease(struct race *race);

// Time passes to an instant near the end of the lease that the lock has now: at
// 0 the key has just gone; a millisecond before, -1 * MILLISECOND, it is the
// last instant at which it is there. CANNOT HAPPEN in real time, and if the
// server does not end the lock.
void advance_to_lease_end(struct race *race, int64_t ns);

// The client's wall clock is ahead of everybody's, from now on; behind, if ns
// is negative.
void set_clock_ahead(struct client *client, int64_t ns);

// --- servers -----------------------------------------------------------------
//
// Where no server is named, this is the first. A lock that uses several masters
// has to do without one of them then.

// SIGKILL, and a new one in its place with what its disk has kept.
void crash_server(struct race *race);
void start_server(struct race *race);

// The same with an empty disk.
void restart_server_empty(struct race *race);

// What the server has written so far is safe on its disk; when the power is
// lost, what it has written since is gone when it starts again.
void sync_disk(struct race *race);
void lose_power(struct race *race);

// SIGSTOP and SIGCONT. Commands that are let through meanwhile wait in the
// server's socket, in order.
void stop_server(struct race *race);
void resume_server(struct race *race);

// Its wall clock is ahead from now on; behind, if ns is negative.
void set_server_clock_ahead(struct race *race, int64_t ns);

// An operator types a command. KEY in it stands for the lock's, also where
// other keys' names begin with it (KEY:signal); a command with KEY is typed at
// each master of the lock. A command that the server refuses ends the race with
// exit status 2.
void operate(struct race *race, const char *command);

// The server may use no more memory than it has, and is told to throw out keys
// with a lease first; something else is written.
void run_out_of_memory(struct race *race);

// From now on the server refuses every command that writes, with an error. If
// the lock has several masters, all of them do. accept_writes() ends that.
void refuse_writes(struct race *race);
void accept_writes(struct race *race);

// CANNOT HAPPEN if the world does not have that many masters.
void need_masters(struct race *race, int count);

// The master with this number, from 1. CANNOT HAPPEN if the lock does not use
// so many.
struct server *race_master(struct race *race, int number);

// SIGKILL for one master, and a new one in its place, with what its disk has
// kept or with an empty disk.
void crash_master(struct server *master);
void start_master(struct server *master);
void restart_master_empty(struct server *master);

// SIGSTOP for one master: it takes what it is sent, and never answers.
void stop_master(struct server *master);

// Its wall clock is ahead from now on; behind, if ns is negative.
void set_master_clock_ahead(struct server *master, int64_t ns);

// The client can no longer reach this master; its connections to it break. It
// can again.
void cut_off_from(struct client *client, struct server *master);
void reconnect_to(struct client *client, struct server *master);

// A second server that replicates the first, in step with it.
struct server *race_replica(struct race *race);

// From now on nothing reaches the replica.
void hold_replication(struct server *replica);

// The replica becomes a master of its own.
void promote(struct server *replica);

// The client's server is this one from now on; its connections break.
void reach(struct client *client, struct server *server);

#endif
