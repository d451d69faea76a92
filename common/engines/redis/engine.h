// The engine room: all that the rest of the project knows of the servers that
// hold the locks. What stands below this header (Redis, its wire format, its
// replicas) is named in this folder alone.
//
// An engine is the servers of one world: the first, other masters that know
// nothing of it or of each other, and replicas of the first. They are numbered
// from 0 in the order in which they were started. A function that cannot do
// what it is asked ends the run (base/fail.h); whether a server is in a state
// for it is asked before, in world/possible.h.
#ifndef ENGINE_H
#define ENGINE_H

#include "instance.h"
#include "relay.h"

#include "engines/lock_state.h"
#include "engines/message.h"
#include "engines/resource.h"

#include <stdbool.h>
#include <stdint.h>

enum { ENGINE_MASTERS = 8, MAX_REPLICAS = 3 };
enum { MAX_SERVERS = ENGINE_MASTERS + MAX_REPLICAS };

struct engine {
    struct instance servers[MAX_SERVERS];
    struct relay *relays[MAX_SERVERS]; // before the first, for each replica
    int count;
    int masters; // the first of them
    const char *options; // of the masters
    int least_replicas; // what a server wanted before it began to refuse writes
};

// The wire format that clients speak with a server.
extern const struct wire_format *const engine_wire;

// Starts the first server, with these options ("--appendonly yes", by words).
// Must stay where it is until it is closed.
void engine_open(struct engine *engine, const char *options);
void engine_close(struct engine *engine);

// Starts another master, with the options of the first. All masters are started
// before the first replica. Its number.
int engine_add_master(struct engine *engine);

// The masters will be killed and started by the thousand, as in a search.
void engine_starts_often(struct engine *engine);

// Starts a replica of the first server and returns when it has everything.
// Its number.
int engine_add_replica(struct engine *engine);

// --- a server, by its number -------------------------------------------------

// Does it run: neither dead nor stopped? Is it dead?
bool engine_runs(const struct engine *engine, int number);
bool engine_is_dead(const struct engine *engine, int number);

// The way to it.
struct door *engine_door(struct engine *engine, int number);

// Has somebody connected to one of the servers but this process? A server knows
// how many connections it has accepted. Asked when a run ends, about servers
// that run, and remembered of those that have ended.
bool engine_has_met_others(struct engine *engine);

// "redis 7.0.15": the first server's.
const char *engine_version(const struct engine *engine);

// SIGKILL, and a new start with what its disk has kept.
void engine_kill(struct engine *engine, int number);
void engine_start(struct engine *engine, int number);

// SIGSTOP and SIGCONT.
void engine_stop(struct engine *engine, int number);
void engine_continue(struct engine *engine, int number);

// Its wall clock is ahead by that much.
void engine_skew(struct engine *engine, int number, int64_t ns);

// What it has written so far is safe on its disk.
void engine_sync_disk(struct engine *engine, int number);

// While it is down: what it has written since then is gone; all is gone.
void engine_lose_unsynced(struct engine *engine, int number);
void engine_wipe_disk(struct engine *engine, int number);

// From now on it refuses every command that writes, with an error; and no
// longer. It still answers what only reads. It must run.
void engine_refuse_writes(struct engine *engine, int number);
void engine_accept_writes(struct engine *engine, int number);

// Returns when the server has done all that it could do by now: what it was
// sent, what others wait for, what time has ended. It must run.
void engine_catch_up(struct engine *engine, int number);

// From now on nothing reaches this replica.
void engine_hold_replication(struct engine *engine, int number);

// An operator's command, by words: "an operator: DEL lock -> 1". The caller
// frees it. Ends the run if the server refuses and should not (`in_vain`: has
// to), because what follows would mean something else.
char *engine_operate(struct engine *engine, int number, const char *command,
                     bool in_vain);

// What an operator types to fill the server's memory, so that it throws out
// keys with a lease, and then to make room again; to make the server refuse
// writes, and no longer; and to make a replica a master.
enum { ENGINE_FULL_MEMORY_COMMANDS = 4 };
struct operator_command {
    const char *text;
    bool in_vain; // the server has to refuse it
};
extern const struct operator_command
    engine_full_memory[ENGINE_FULL_MEMORY_COMMANDS];
extern const char engine_refusal[], engine_acceptance[];
extern const char engine_promotion[];

// Makes the first server forget everything that clients told it.
void engine_forget(struct engine *engine);

// --- the lock ----------------------------------------------------------------

// What an outsider sees under the key. Also makes the server notice that time
// has passed. A server that is down has nothing.
struct lock_state engine_look(struct engine *engine, int number,
                              const char *key);

// Everything that this server holds, a line "KEY TTL VALUE" for each key,
// sorted; the TTL in milliseconds, -1: none. `lock` is what has just been seen
// under `key`. The caller frees it.
char *engine_content(struct engine *engine, int number, const char *key,
                     const struct lock_state *lock);

// Could this request change the lock, if it ran now? In a transaction only the
// command that ends it can.
bool engine_may_change(struct engine *engine, int number,
                       const struct message *request, bool in_transaction);

// The same, and a script is tried: false if it would only read, if it ran now.
bool engine_would_change(struct engine *engine, int number,
                         const struct message *request, bool in_transaction);

// Would it only read what is under the key?
bool engine_reads(struct engine *engine, int number,
                  const struct message *request, bool in_transaction,
                  const char *key);

// What has become of this request: a write to what the lock protects, as
// docs/protocol.md has it? NULL: no answer has come.
enum write engine_look_at_write(const struct message *request,
                                const struct message *answer);

// --- clients -----------------------------------------------------------------

// Where a client finds one of its servers: at this socket, and at this port of
// the loopback if it is not 0.
struct address {
    const char *socket;
    int port;
};

// The variables that tell a client where its servers are, one or several. At
// most ENGINE_VARIABLES; how many. Good until the next call.
enum { ENGINE_VARIABLES = 4 };
int engine_client_environment(struct variable *environment,
                              const struct address *addresses, int count);

// --- scripts, for a search ---------------------------------------------------

// From now on every script has a number that depends on nothing but its text.
void engine_number_scripts_by_text(void);

// Forgets the names of all scripts; and whether new ones are learned (they
// are).
void engine_forget_scripts(void);
void engine_learn_scripts(bool on);

#endif
