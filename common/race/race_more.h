// More verbs, for special stories: settings, two locks, calls inside calls,
// leases of one's own, waiting, single commands, several masters. race.h has
// the usual ones.
#ifndef RACE_MORE_H
#define RACE_MORE_H

#include "race.h"

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

// --- a second lock, a second thread ------------------------------------------

// A client that uses two locks: "lock" and "lock2", or with --key KEY the two
// that are called KEY and KEY2.
struct client *race_client_of_two(struct race *race, const char *name);

// Handles of the same client, for verbs about its second lock or on its second
// thread: enter, leave, wait_for_lock, and the verbs that judge their outcome.
// All other verbs need the client itself.
struct client *second_lock_of(struct client *client);
struct client *second_thread_of(struct client *client);

// --- in certain cases only ---------------------------------------------------

// Acquires the lock, if the client is not inside already: it may have got in
// though it lost an answer.
void enter_if_outside(struct client *client);

// Releases the lock if the client is inside, or cannot know that: its attempt
// was answered with "unknown".
void leave_if_unsure(struct client *client);

// Releases again, unless the last release was answered with "ok": a lock may
// have repeated it by itself.
void leave_again(struct client *client);

// Takes the lock and releases it, that often, a hundredth of a second apart.
void enter_and_leave(struct client *client, int times);

// --- calls inside calls ------------------------------------------------------

// A client that is inside acquires the lock so many times again, each time in a
// call inside the last one, and must get in each time. CANNOT HAPPEN if the
// client cannot get in twice.
void enter_inner_calls(struct client *client, int times);

// Releases it that often, as long as it is inside.
void leave_inner_calls(struct client *client, int times);

// CANNOT HAPPEN if the client could not get in twice.
void need_two_entries(struct client *client);

// --- leases of one's own, handles --------------------------------------------

// Acquires the lock with a lease for this once; begins to. CANNOT HAPPEN if an
// acquire of this lock has none of its own.
void enter_for(struct client *client, int64_t lease_ns);
void begin_enter_for(struct client *client, int64_t lease_ns);

// Closes the lock, without releasing it, and opens it anew. If that fails, the
// lock is closed, until the next reopen(). CANNOT HAPPEN if the client does not
// know how.
void reopen(struct client *client);

// The same with another lease for everything that comes after it.
void reopen_for(struct client *client, int64_t lease_ns);

// --- waiting -----------------------------------------------------------------

// Begins to wait for the lock, at most that long; the first command is held.
void begin_wait(struct client *client, int64_t patience_ns);

// The client waits for the lock. Time passes until its patience ends; the
// command of its last attempt is held. CANNOT HAPPEN if it sends none.
void begin_last_attempt(struct client *client);

// The connection breaks on which the client hears that the lock is free. CANNOT
// HAPPEN if it has none.
void lose_subscription(struct client *client);

// The same, but the client's next commands pass only in finish(), or when the
// story lets them pass.
void break_subscription(struct client *client);

// --- the resource ------------------------------------------------------------

// Begins to write to the resource; the command is held.
void begin_write(struct client *client);

// Writes to a resource that checks the number in one step and writes in
// another; begins to. CANNOT HAPPEN if the client does not know how.
void write_apart(struct client *client);
void begin_write_apart(struct client *client);

// --- single commands ---------------------------------------------------------

// Releases the lock. Returns which of the commands took it away: 1 for the
// first, 0 if none did.
int leave_and_find_end(struct client *client);

// pass_command(), if the client has sent a command; so many of them.
void pass_command_if_any(struct client *client);
void pass_commands(struct client *client, int count);

// The next command that has to do with the lock is a read, or a script that now
// would only read: it runs, and its answer arrives. CANNOT HAPPEN if it is
// something else.
void pass_read(struct client *client);

// Commands pass until one that only reads what is under the key has passed, or
// a script that now would only read. CANNOT HAPPEN if there is none.
void pass_first_read(struct client *client);

// As hold_change(), and a script passes, too, if it would only read, if it ran
// now.
void hold_write(struct client *client);

// Commands pass up to the n-th, which is held. CANNOT HAPPEN if there are not
// so many, or if n is less than 2: then none comes before it.
void hold_later_command(struct client *client, int n);

// As finish(), but the client or the server may have ended the connection of
// the held command meanwhile: then the client goes on without it.
void finish_on_any_connection(struct client *client);

// The held answer is lost, and the operation goes on. The command that the
// client then repeats by itself is held. CANNOT HAPPEN if it sends none to the
// same server.
void lose_answer_before_retry(struct client *client);

// --- servers that refuse, servers that are silent ----------------------------

// The held command reaches the server while the server refuses every write, and
// the answer arrives: an error, if the command writes. The next one is held.
// CANNOT HAPPEN if the operation is over, and nothing of it was refused.
void refuse_command(struct client *client);

// CANNOT HAPPEN if the server has refused nothing of the client's since it got
// in: its renewals are no writes.
void need_refused_renewal(struct client *client);

// From now on the server refuses every command that writes, with an error. If
// the lock has several masters, all of them do. accept_writes() ends that.
void refuse_writes(struct race *race);
void accept_writes(struct race *race);

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

// --- instants ----------------------------------------------------------------

// Time passes until so long after the beginning of the race, if it is not later
// already.
void advance_until(struct race *race, int64_t ns);

// Time passes to an instant near the end of the lease that the lock has now. At
// 0 the key has just gone. A millisecond before, at -1 * MILLISECOND, it is
// there for the last time. CANNOT HAPPEN in real time, and if the server does
// not end the lock.
void advance_to_lease_end(struct race *race, int64_t ns);

// CANNOT HAPPEN if the lock, which the client has just taken, has no end on the
// server; or in real time, which has no exact instants.
void need_exact_lease(struct client *client);

// --- several masters, disks, memory ------------------------------------------

// CANNOT HAPPEN if the world does not have that many masters.
void need_masters(struct race *race, int count);

// The client can no longer reach this master; its connections to it break. It
// can again.
void cut_off_from(struct client *client, struct server *master);
void reconnect_to(struct client *client, struct server *master);

// The first server's writes so far are safe on its disk. lose_power(): it
// starts again without its writes since then.
void sync_disk(struct race *race);
void lose_power(struct race *race);

// The first server's memory is full, and its policy throws out keys with a
// lease first; another key is written.
void run_out_of_memory(struct race *race);

// --- more for the judge ------------------------------------------------------

// The client, which has waited, must have given up before. `when` completes "B
// gets in …" or "B still waits …".
void must_have_given_up(struct client *client, const char *when);

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

// The value under the lock's key now is another program's.
// must_have_kept_key(): it must be there still, with the same lease or none.
void keep_key(struct race *race);
void must_have_kept_key(struct race *race);

// From now on the client that has waited longest must get in first; at most one
// of the clients that wait may send something.
void keep_order(struct race *race);
void wake_one(struct race *race);

// The judge asks for every property that it knows, as in a search, and not only
// for those that every story asks for (docs/judge.md).
void judge_strictly(struct race *race);

// --- what the story needs ----------------------------------------------------

// CANNOT HAPPEN if the client is not inside.
void need_inside(struct client *client);

// CANNOT HAPPEN if the client is inside, with a lock. It may have had enough
// other servers than the one that the story keeps from it; or its next command
// was enough.
void need_outside(struct client *client);

// CANNOT HAPPEN if the client's last attempt was not answered with "busy".
void need_busy(struct client *client);

// CANNOT HAPPEN if the client's operation has not ended: it waits for a command
// of its own that the story holds back.
void need_no_wait(struct client *client);

// CANNOT HAPPEN if a lock has ended on the server since the client's connection
// broke, and nobody else is inside. It ended with the connection, and not with
// a lease.
void need_lock(struct client *client);

#endif
